import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { path, toUrl } from "./client.ts";
import { toSnippet } from "./snippets.ts";

const request = {
  method: "POST",
  path: path`/workflow/${"it's"}`,
  query: { version: 2, flag: true, nothing: undefined },
  body: { text: 'it\'s "quoted"\n$HOME', list: [1, null, true], none: {} },
} as const;

describe("a request as a snippet", () => {
  test("curl survives the shell", () => {
    const text = toSnippet("curl", request, "http://127.0.0.1:1");
    // The shell reads the words; printf gives them back one per line, ended by a zero byte.
    const { stdout } = spawnSync("sh", ["-c", text.replace(/^curl/, "printf '%s\\0'")], { encoding: "utf8" });
    const words = stdout.split("\0").slice(0, -1);
    expect(words).toEqual([
      "-X",
      "POST",
      "http://127.0.0.1:1/api/workflow/it's?version=2&flag=true",
      "-H",
      "Content-Type: application/json",
      "-d",
      JSON.stringify(request.body),
    ]);
  });

  test("TypeScript sends the same request", async () => {
    const text = toSnippet("TypeScript", request, "http://127.0.0.1:1");
    const sent: unknown[] = [];
    const run = new Function("fetch", `return (async () => { ${text} })()`);
    await run(async (...args: unknown[]) => {
      sent.push(...args);
      return { ok: true };
    });
    expect(sent).toEqual([
      `http://127.0.0.1:1${toUrl(request)}`,
      { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request.body) },
    ]);
  });

  test("Python has Python's literals", () => {
    const text = toSnippet("Python", request, "http://127.0.0.1:1");
    expect(text).toContain("requests.post(");
    expect(text).toMatch(/"list": \[\n\s+1,\n\s+None,\n\s+True,\n\s+\],/);
    expect(text).toContain('"none": {}');
  });

  test("a form names its file, and its texts survive the shell", () => {
    const form = { manifest: '{"model":"@it\'s"}', package: new File(["zip"], "my skill.zip") };
    const upload = { method: "POST", path: "/skills/register", form } as const;
    const curl = toSnippet("curl", upload, "http://127.0.0.1:1");
    const { stdout } = spawnSync("sh", ["-c", curl.replace(/^curl/, "printf '%s\\0'")], { encoding: "utf8" });
    expect(stdout.split("\0").slice(3, -1)).toEqual([
      "--form-string",
      `manifest=${form.manifest}`,
      "-F",
      "package=@my skill.zip",
    ]);
    expect(toSnippet("Python", upload, "http://127.0.0.1:1")).toContain('"package": open("my skill.zip", "rb"),');
    expect(toSnippet("TypeScript", upload, "http://127.0.0.1:1")).toContain(
      'form.set("package", await openAsBlob("my skill.zip"), "my skill.zip");',
    );
  });
});
