/** Epoch milliseconds that never go back, whatever is done to the machine's clock. */
export type Clock = () => number;

/** `offset`: how far the clock that counts is ahead of this machine's. */
export function createClock(offset: () => number): Clock {
  let last = 0;
  return () => {
    last = Math.max(last, Date.now() + offset());
    return last;
  };
}
