import { loopback } from "../arguments.mjs";
import { createClient } from "../client.mjs";

const ownerEmail = "bench@example.com";

/** The few calls of the workflow interface that the big stores need. */
export function createApi(base) {
  const { hostname, port, pathname } = loopback(base);
  const client = createClient({ host: hostname, port: Number(port) });
  const root = pathname.replace(/\/$/, "");

  const call = async (method, path, body) => {
    const { status, text } = await client.request(method, root + path, body && JSON.stringify(body));
    if (status >= 300) throw new Error(`${method} ${path.split("?")[0]}: ${status} ${text.slice(0, 300)}`);
    return text;
  };
  const callJson = async (method, path, body) => JSON.parse((await call(method, path, body)) || "null");

  return {
    call,
    callJson,
    start: async (name, input, extra = {}) => {
      const id = await call("POST", "/workflow", { name, version: 1, input, ...extra });
      return id.replaceAll('"', "").trim();
    },
    exists: async (id) => (await client.request("GET", `${root}/workflow/${id}/status`)).status !== 404,
    search: (query) => callJson("GET", `/workflow/search?${new URLSearchParams(query)}`),
    registerTask: (name) =>
      call("POST", "/metadata/taskdefs", [
        { name, ownerEmail, retryCount: 0, timeoutSeconds: 0, responseTimeoutSeconds: 3600 },
      ]),
    registerWorkflow: (name, tasks, extra = {}) =>
      call("PUT", "/metadata/workflow", [
        { name, version: 1, schemaVersion: 2, ownerEmail, tasks, timeoutSeconds: 0, ...extra },
      ]),
    close: client.close,
  };
}

/** Does something n times, so many at once; returns how many a second. */
export async function repeat({ n, concurrency, act }) {
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(n, concurrency) }, async () => {
      while (next < n) await act(next++);
    }),
  );
  return Math.round((n * 1000) / (performance.now() - startedAt));
}
