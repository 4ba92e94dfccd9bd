import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call, get, path } from "./client.ts";
import type { Page } from "./types.ts";

export type FileMetadata = {
  readonly fileHandleId: string;
  readonly fileName?: string;
  readonly contentType?: string;
  /** Bytes; 0 until the upload is confirmed. */
  readonly fileSize: number;
  readonly contentHash?: string;
  readonly storageType: string;
  readonly uploadStatus: string;
  readonly workflowId: string;
  readonly taskId?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** Files an execution owns, oldest first. `version` changes when there may be more. */
export const useFilesOf = (workflowId: string, version = 0) =>
  useQuery({
    queryKey: ["files", workflowId, version],
    queryFn: ({ signal }) => get<Page<FileMetadata>>("/files", { workflowId }, signal),
    select: ({ totalHits, results }) => ({
      totalHits,
      results: results.toSorted((a, b) => a.createdAt - b.createdAt),
    }),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** One file, by its id or its handle. */
export const useFile = (idOrHandle: string, isWanted: boolean) =>
  useQuery({
    queryKey: ["file", idOrHandle],
    enabled: isWanted,
    queryFn: ({ signal }) => get<FileMetadata>(path`/files/${idOrHandle}`, {}, signal),
    retry: false,
  });

export const fileIdOf = ({ fileHandleId }: FileMetadata): string => fileHandleId.split("/").at(-1) ?? "";

/** Where the bytes are: good for a minute or so. */
export async function findDownload(file: FileMetadata): Promise<string> {
  const { downloadUrl } = await call<{ readonly downloadUrl: string }>({
    method: "GET",
    path: path`/files/${file.workflowId}/${fileIdOf(file)}/download-url`,
  });
  return downloadUrl;
}
