export { type AgentTool, liftAgentTools } from "./agent-tools.ts";
export { type CompileContext, type CompiledAgent, compileAgent } from "./compile-agent.ts";
export { agentConfigModel, readAgentConfig } from "./config/read.ts";
export type { AgentConfig, GuardrailConfig, Strategy, ToolConfig } from "./config/types.ts";
export { type ValidateOptions, validateAgent } from "./config/validate.ts";
export { extension } from "./extension.ts";
export { normaliseEmbedded } from "./frameworks/embedded.ts";
export { normaliseFramework } from "./frameworks/index.ts";
export { InvalidAgent } from "./invalid-agent.ts";
export { type CompiledPlan, compilePlan, type PlanRequest } from "./plan/compile.ts";
export { inspectPlan, planAndCompile } from "./plan/inspect-plan.ts";
export { findSchemaProblem } from "./plan/tool-schema.ts";
export { SandboxRefusal } from "./sandbox/refusal.ts";
export { type IsolatedResult, type IsolatedRun, runIsolated } from "./sandbox/run-isolated.ts";
export {
  type CodeRequest,
  type CommandRequest,
  createSandbox,
  type Sandbox,
  type SandboxSettings,
} from "./sandbox/sandbox.ts";
export { referencedSkills } from "./skills/cross-references.ts";
export { packageConfig } from "./skills/package-config.ts";
export { withParameters } from "./skills/parameters.ts";
export {
  type PackageFile,
  type PreviewFile,
  previewPackageFile,
  readSkillPackage,
  type SkillPackage,
} from "./skills/read-package.ts";
export { readSkillMd, type SkillMd } from "./skills/skill-md.ts";
export type { PackageLimits } from "./skills/zip-entries.ts";
export type { WorkerDef } from "./workers/task-defs.ts";
