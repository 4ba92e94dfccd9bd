import type { Deviation } from "./compare.ts";

/** Where plans and framework agents differ from the recordings on purpose: one value each, with the rule for it. */
export const deviations: readonly Deviation[] = [];
