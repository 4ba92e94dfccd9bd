import { SandboxRefusal } from "./refusal.ts";

/** What is run: a command with its arguments, or a file of code and the interpreter for it. */
export type Program = {
  readonly argv: readonly string[];
  /** Written into the working folder before the run. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Address space an interpreter reserves and does not use, beyond its memory. */
  readonly reservedBytes: number;
};

const megabyte = 1024 * 1024;

type Interpreter = (memoryBytes: number) => Omit<Program, "file"> & { readonly fileName: string };

/** The server's own Node is at `/runtime/node` in the sandbox. Its threads have stacks of 8 MB each. */
const node: Interpreter = (memoryBytes) => ({
  fileName: "main.mjs",
  argv: ["/runtime/node", `--max-old-space-size=${Math.ceil((memoryBytes * 0.75) / megabyte)}`, "main.mjs"],
  reservedBytes: 512 * megabyte,
});

const interpreters: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ["python", () => ({ fileName: "main.py", argv: ["python3", "-B", "main.py"], reservedBytes: 0 })],
  ["bash", () => ({ fileName: "main.sh", argv: ["bash", "main.sh"], reservedBytes: 0 })],
  ["node", node],
  ["javascript", node],
]);

/** Throws SandboxRefusal for a language there is no interpreter for. */
export function codeProgram(language: string, code: string, memoryBytes: number): Program {
  const interpreter = interpreters.get(language.toLowerCase());
  if (interpreter === undefined) {
    const known = [...interpreters.keys()].join(", ");
    throw new SandboxRefusal(`No interpreter for language '${language}'. Languages: ${known}`);
  }
  const { fileName, ...program } = interpreter(memoryBytes);
  return { ...program, file: { name: fileName, text: code } };
}
