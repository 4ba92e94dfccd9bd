/** Epoch milliseconds that never go back, whatever is done to the machine's clock. */
export type Clock = () => number;

export function createClock(): Clock {
  let last = 0;
  return () => {
    last = Math.max(last, Date.now());
    return last;
  };
}
