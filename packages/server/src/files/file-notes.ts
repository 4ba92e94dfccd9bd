import type { DocumentPut, Store } from "@downbeat/store";
import type { FileRecord, StoredObject, Uploaded } from "./file-record.ts";

const FILE = "file";
const UPLOADED = "file-uploaded";
const CONTENT = "file-content";
const PENDING = "file-pending";
const PAGE = 500;

/** Everything an execution owns, under one heading: it is asked for by execution, and removed with it. */
const ofWorkflow = (workflowId: string): string => `files of ${workflowId}`;

type Created = Omit<FileRecord, "fileId" | "uploaded">;

/**
 * What is known of files, as documents of the store. A confirmation is a document of its own that must be new, so that of
 * two confirmations one wins, and nothing is ever read, changed and written back.
 */
export class FileNotes {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async create({ fileId, uploaded: _none, ...created }: FileRecord): Promise<void> {
    await this.#store.commit({
      kind: "put-documents",
      documents: [
        aDocument(FILE, fileId, created, true),
        aDocument(ofWorkflow(created.workflowId), fileId, {}, false),
        aDocument(PENDING, fileId, { workflowId: created.workflowId }, false),
      ],
    });
  }

  async find(fileId: string): Promise<FileRecord | undefined> {
    const created = await this.#read<Created>(FILE, fileId);
    if (created === undefined) return undefined;
    const { workflowId, fileName, contentType, taskId, createdAt } = created;
    const uploaded = await this.#read<Uploaded>(UPLOADED, fileId);
    return { fileId, workflowId, fileName, contentType, taskId, createdAt, uploaded };
  }

  /** False when it was confirmed before. */
  async confirm(fileId: string, uploaded: Uploaded): Promise<boolean> {
    const { kind } = await this.#store.commit({
      kind: "put-documents",
      documents: [aDocument(UPLOADED, fileId, uploaded, true)],
    });
    await this.#delete(PENDING, fileId);
    return kind === "done";
  }

  async putContent(fileId: string, object: StoredObject): Promise<void> {
    await this.#store.commit({ kind: "put-documents", documents: [aDocument(CONTENT, fileId, object, false)] });
  }

  findContent(fileId: string): Promise<StoredObject | undefined> {
    return this.#read<StoredObject>(CONTENT, fileId);
  }

  async hasAny(workflowId: string): Promise<boolean> {
    return (await this.#store.documents.list(ofWorkflow(workflowId), { start: 0, limit: 1 })).length > 0;
  }

  async listOf(workflowId: string): Promise<readonly string[]> {
    return (await this.#store.documents.list(ofWorkflow(workflowId), { start: 0, limit: PAGE })).map(({ id }) => id);
  }

  async page(
    workflowId: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly fileIds: readonly string[] }> {
    const { documents } = this.#store;
    const collection = ofWorkflow(workflowId);
    const [total, found] = await Promise.all([documents.count(collection), documents.list(collection, page)]);
    return { total, fileIds: found.map(({ id }) => id) };
  }

  /** Files whose upload nobody confirmed yet. */
  async pending(): Promise<readonly Pick<FileRecord, "fileId" | "workflowId">[]> {
    const found: { readonly fileId: string; readonly workflowId: string }[] = [];
    for (let start = 0; ; start += PAGE) {
      const page = await this.#store.documents.list(PENDING, { start, limit: PAGE });
      for (const { id, body } of page) found.push({ fileId: id, ...(JSON.parse(body) as { workflowId: string }) });
      if (page.length < PAGE) return found;
    }
  }

  /** It was confirmed, and the note that it was not is out of date. */
  async settlePending(fileId: string): Promise<void> {
    await this.#delete(PENDING, fileId);
  }

  /** The owner's heading goes last: a removal that is cut off finds the file again. */
  async remove({ fileId, workflowId }: Pick<FileRecord, "fileId" | "workflowId">): Promise<void> {
    for (const collection of [FILE, UPLOADED, CONTENT, PENDING, ofWorkflow(workflowId)]) {
      await this.#delete(collection, fileId);
    }
  }

  async #read<T>(collection: string, id: string): Promise<T | undefined> {
    const text = await this.#store.documents.find(collection, id);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  async #delete(collection: string, id: string): Promise<void> {
    await this.#store.commit({ kind: "delete-documents", collection, ids: [id] });
  }
}

const aDocument = (collection: string, id: string, body: object, mustBeNew: boolean): DocumentPut => ({
  collection,
  id,
  body: JSON.stringify(body),
  mustBeNew,
});
