import type { FastifyInstance } from "fastify";
import type { DeclaredRoute } from "../api.ts";
import { openApiDocument } from "../openapi.ts";
import { sendJson } from "../reply.ts";
import { viewerFiles } from "../viewer.ts";

/** The interface's own documentation: the document for programs, a page for people. */
export function docsRoutes(app: FastifyInstance, operations: readonly DeclaredRoute[], version: string): void {
  let text: string | undefined;
  // Made at the first request: all routes are declared by then.
  const documentText = () => {
    text ??= JSON.stringify(openApiDocument(operations, version));
    return text;
  };
  app.get("/api-docs", (_request, reply) => sendJson(reply, documentText()));
  app.get("/docs/api", (_request, reply) => reply.type("text/html; charset=utf-8").send(viewerFiles.page()));
  app.get("/docs/api/viewer.js", (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(viewerFiles.script()),
  );
  app.get("/docs/api/viewer.css", (_request, reply) => reply.type("text/css; charset=utf-8").send(viewerFiles.style()));
  // Every JSON text is a YAML text.
  app.get("/api-docs.yaml", (_request, reply) => reply.type("application/yaml").send(documentText()));
  app.get("/api-docs/swagger-config", (_request, reply) => sendJson(reply, JSON.stringify({ url: "/api-docs" })));
  for (const path of ["/swagger-ui.html", "/swagger-ui/index.html"]) {
    app.get(path, (_request, reply) => reply.redirect("/docs/api"));
  }
}
