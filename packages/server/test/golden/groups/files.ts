import { entry, nobody, type Session } from "../recorder/session.ts";

type Urls = { readonly uploadUrl?: string; readonly downloadUrl?: string };

export async function files(session: Session): Promise<void> {
  const { label, record, register, start, workflow } = session;
  await register(workflow("files", [entry("WAIT", "w")]));
  const owner = await start("files", {}, {}, "wf");
  const other = await start("files", {}, {}, "wf_other");
  const created = await record("create", "POST", "/files", {
    body: { workflowId: owner, fileName: "a.txt", contentType: "text/plain" },
    after: ({ json }) => label((json as { fileHandleId: string }).fileHandleId.split("/").at(-1), "file"),
  });
  const { fileHandleId } = created.json as { readonly fileHandleId: string };
  const fileId = fileHandleId.split("/").at(-1);
  const file = `/files/${owner}/${fileId}`;
  await record("create without workflowId", "POST", "/files", { body: { fileName: "a.txt" } });
  await record("create unknown workflow", "POST", "/files", { body: { workflowId: nobody } });
  await record("create minimal", "POST", "/files", { body: { workflowId: owner } });
  await record("create malformed", "POST", "/files", { text: "{" });
  await record("metadata before upload", "GET", file);
  const handle = encodeURIComponent(`conductor://file/${fileId}`);
  await record("metadata by handle (encoded)", "GET", `/files/${owner}/${handle}`);
  await record("download-url before upload", "GET", `${file}/download-url`);
  await record("upload-complete before upload", "POST", `${file}/upload-complete`);
  const fresh = await record("fresh upload url", "GET", `${file}/upload-url`);
  const { uploadUrl = "" } = fresh.json as Urls;
  await record("PUT bytes to uploadUrl", "PUT", uploadUrl, { text: "hello file", contentType: "text/plain" });
  await record("upload-complete", "POST", `${file}/upload-complete`);
  await record("upload-complete again", "POST", `${file}/upload-complete`);
  await record("metadata after upload", "GET", file);
  const download = await record("download-url", "GET", `${file}/download-url`);
  await record("GET downloadUrl", "GET", (download.json as Urls).downloadUrl ?? "");
  await record("upload url after upload", "GET", `${file}/upload-url`);
  await record("download from another workflow", "GET", `/files/${other}/${fileId}/download-url`);
  await record("download from unknown workflow", "GET", `/files/${nobody}/${fileId}/download-url`);
  await record("metadata from another workflow", "GET", `/files/${other}/${fileId}`);
  await record("unknown file", "GET", `/files/${owner}/${nobody}`);
  await record("unknown file download", "GET", `/files/${owner}/${nobody}/download-url`);
  await record("multipart init", "POST", `${file}/multipart`);
  await record("multipart part", "GET", `${file}/multipart/u1/part/1`);
  const ofTheLaw = "multipart part, path of the interface description";
  await record(ofTheLaw, "GET", `/files/${fileId}/multipart/u1/part/1`);
  await record("multipart complete", "POST", `${file}/multipart/u1/complete`, { body: { partETags: ["a"] } });
  await record("multipart abort", "DELETE", `${file}/multipart/u1`);
  for (const id of [owner, other]) await session.send("DELETE", `/workflow/${id}`);
}
