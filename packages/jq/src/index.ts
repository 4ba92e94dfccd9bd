export { JqAbort, JqError, JqSyntaxError } from "./errors.ts";
export { type CompileOptions, compile, type JqOptions, type JqProgram } from "./program.ts";
