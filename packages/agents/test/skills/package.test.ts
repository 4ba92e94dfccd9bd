import { describe, expect, test } from "vitest";
import {
  InvalidAgent,
  normaliseFramework,
  type PackageLimits,
  packageConfig,
  previewPackageFile,
  readSkillPackage,
} from "../../src/index.ts";
import { aZip, type ZipFile } from "./a-zip.ts";

const limits: PackageLimits = {
  packageBytes: 100_000,
  previewBytes: 1000,
  uncompressedBytes: 200_000,
  fileCount: 10,
};

const skillMd: ZipFile = {
  path: "SKILL.md",
  content: "---\nname: pack\ndescription: Packs.\nparams:\n  depth: 3\n  tone: {default: dry}\n---\n# Pack\nDo it.",
};

const read = (files: readonly ZipFile[], overrides: Partial<PackageLimits> = {}) =>
  readSkillPackage(aZip(files), { ...limits, ...overrides });

describe("a skill package", () => {
  test("becomes a rawConfig of its texts, scripts and resources", async () => {
    const pack = await read([
      skillMd,
      { path: "./judge-agent.md", content: "Judge." },
      { path: "scripts/build.sh", content: "make" },
      { path: "scripts/check.py", content: "print()" },
      { path: "scripts/.hidden", content: "" },
      { path: "scripts/lib/deep.py", content: "" },
      { path: "references/api.md", content: "# API" },
      { path: "template.html", content: "<p>" },
      { path: "other/kept.txt", content: "kept" },
      { path: "assets/", content: "", mode: 0o040755 },
    ]);
    expect(packageConfig(pack)).toEqual({
      skillMd: skillMd.content,
      agentFiles: { judge: "Judge." },
      scripts: {
        build: { filename: "build.sh", language: "bash" },
        check: { filename: "check.py", language: "python" },
      },
      resourceFiles: ["references/api.md", "template.html"],
      defaultParams: { depth: 3, tone: "dry" },
    });
    expect(pack.files).toHaveLength(9);
    expect(pack.files.find(({ path }) => path === "references/api.md")).toEqual({
      path: "references/api.md",
      size: 5,
      sha256: "b0d67a4666b3952ae73dfbd2f0ebf13789a6270d02b5b24066cf7eb53a5943de",
      contentType: "text/markdown",
    });
  });

  test("gives an agent whose tools are the package's", async () => {
    const pack = await read([skillMd, { path: "scripts/build.sh", content: "" }, { path: "a.txt", content: "" }]);
    const agent = normaliseFramework("skill", { ...packageConfig(pack), model: "openai/gpt-4o" });
    expect(agent["instructions"]).toBe("# Pack\nDo it.\n\n[Skill Parameters]\ndepth: 3\ntone: dry");
    expect((agent["tools"] as { name: string }[]).map(({ name }) => name)).toEqual([
      "pack__build",
      "pack__read_skill_file",
    ]);
  });

  test("shows one file, text or binary", async () => {
    const zip = aZip([skillMd, { path: "assets/x.bin", content: Buffer.from([0, 1]) }]);
    expect(await previewPackageFile(zip, "assets\\x.bin", limits)).toMatchObject({
      path: "assets/x.bin",
      binary: true,
      contentBase64: "AAE=",
      size: 2,
    });
    expect(await previewPackageFile(zip, "SKILL.md", limits)).toMatchObject({
      binary: false,
      content: skillMd.content,
      contentType: "text/markdown",
    });
    expect(await previewPackageFile(zip, "none.txt", limits)).toBeUndefined();
  });
});

describe("a package is refused", () => {
  const big = "x".repeat(150_000);

  test.each<[string, readonly ZipFile[], string]>([
    ["without SKILL.md", [{ path: "a.md", content: "" }], "Skill package is missing SKILL.md"],
    ["that climbs out", [{ path: "../evil", content: "" }], "Invalid skill package path: ../evil"],
    ["that climbs out in the middle", [{ path: "a/../../b", content: "" }], "Invalid skill package path: a/../../b"],
    ["with an absolute path", [{ path: "/etc/passwd", content: "" }], "Invalid skill package path: /etc/passwd"],
    ["with a drive", [{ path: "C:\\x", content: "" }], "Invalid skill package path: C:/x"],
    ["with an empty part", [{ path: "a//b", content: "" }], "Invalid skill package path: a//b"],
    ["with a zero byte in a path", [{ path: "a\0b", content: "" }], "Invalid skill package path: a\0b"],
    [
      "with a symbolic link",
      [{ path: "link", content: "/etc/passwd", mode: 0o120777 }],
      "Invalid skill package path: link",
    ],
    [
      "that is encrypted",
      [{ path: "a.md", content: "x", isEncrypted: true }],
      "Invalid skill package zip: a.md is encrypted",
    ],
    [
      "with a path twice",
      [
        { path: "a.md", content: "" },
        { path: "./a.md", content: "" },
      ],
      "Skill package contains duplicate path: a.md",
    ],
    [
      "with two scripts of one tool name",
      [skillMd, { path: "scripts/a.py", content: "" }, { path: "scripts/a.sh", content: "" }],
      "Skill package contains duplicate script tool name: a",
    ],
    [
      "whose SKILL.md is not text",
      [{ path: "SKILL.md", content: Buffer.from([0xff, 0xfe]) }],
      "Skill file must be UTF-8 text: SKILL.md",
    ],
    ["without front matter", [{ path: "SKILL.md", content: "# Hi" }], "SKILL.md is missing required YAML frontmatter"],
    [
      "whose front matter is a list",
      [{ path: "SKILL.md", content: "---\n- a\n---\n" }],
      "SKILL.md frontmatter must be a mapping",
    ],
    ["without a name", [{ path: "SKILL.md", content: "---\na: 1\n---\n" }], "Missing required field: name"],
    [
      "with a bad name",
      [{ path: "SKILL.md", content: "---\nname: a b\n---\n" }],
      "Invalid skill name 'a b'. Use 1-128 characters: letters, numbers, '.', '_' or '-'.",
    ],
    [
      "whose content is not what its checksum says",
      [{ path: "a.md", content: "x", checksum: 1 }],
      "Invalid skill package zip: the checksum of a.md does not match its content",
    ],
    [
      "whose files are too large together",
      [skillMd, { path: "a", content: big }, { path: "b", content: big }],
      "Skill package exceeds max uncompressed size of 200000 bytes",
    ],
    [
      "with a text that is too large",
      [{ path: "SKILL.md", content: "x".repeat(1001) }],
      "Skill package contains oversized file: SKILL.md",
    ],
  ])("%s", async (_, files, message) => {
    await expect(read(files).then(packageConfig)).rejects.toThrow(new InvalidAgent(message));
  });

  test("with too many files", async () => {
    const files = Array.from({ length: 11 }, (_, i) => ({ path: `f${i}`, content: "" }));
    await expect(read(files)).rejects.toThrow("Skill package exceeds max file count of 10");
  });

  test("that is too large, is no zip, or is nothing", async () => {
    await expect(read([skillMd], { packageBytes: 10 })).rejects.toThrow("Skill package exceeds max size of 10 bytes");
    await expect(readSkillPackage(Buffer.from("hello"), limits)).rejects.toThrow(/^Invalid skill package zip: /);
    await expect(readSkillPackage(Buffer.alloc(0), limits)).rejects.toThrow("Skill package is required");
  });

  test("with a bomb that says it is small", async () => {
    const bomb = { path: "bomb", content: Buffer.alloc(5_000_000), declaredSize: 10 };
    await expect(read([skillMd, bomb])).rejects.toThrow(/^Invalid skill package zip: |oversized file: bomb/);
    const honest = { path: "bomb", content: Buffer.alloc(5_000_000) };
    await expect(read([skillMd, honest])).rejects.toThrow("Skill package contains oversized file: bomb");
  });

  test("for a preview of a file that is too large", async () => {
    const zip = aZip([{ path: "big.txt", content: "x".repeat(1001) }]);
    await expect(previewPackageFile(zip, "big.txt", limits)).rejects.toThrow(
      "Skill file is too large to preview: big.txt",
    );
    await expect(previewPackageFile(zip, " ", limits)).rejects.toThrow("File path is required");
  });
});
