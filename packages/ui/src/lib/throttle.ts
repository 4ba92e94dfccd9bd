/** Runs at once, and after that at most once in `everyMs`; the last call is never lost. `cancel` forgets it. */
export function throttle(run: () => void, everyMs: number): { (): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const fire = () => {
    timer = undefined;
    lastAt = performance.now();
    run();
  };
  const call = () => {
    if (timer !== undefined) return;
    const waitMs = lastAt + everyMs - performance.now();
    if (waitMs <= 0) fire();
    else timer = setTimeout(fire, waitMs);
  };
  return Object.assign(call, {
    cancel() {
      clearTimeout(timer);
      timer = undefined;
    },
  });
}
