/** What a run in the sandbox may take. */
export type Limits = {
  readonly timeoutMs: number;
  /** Of all its processes together. Files in its folder count a second time, up to the same amount. */
  readonly memoryBytes: number;
  /** Of what it writes to its output and its errors together. */
  readonly outputBytes: number;
  /** Processes and threads at a time. */
  readonly processes: number;
};

export const defaultLimits: Limits = {
  timeoutMs: 30_000,
  memoryBytes: 256 * 1024 * 1024,
  outputBytes: 1024 * 1024,
  processes: 64,
};
