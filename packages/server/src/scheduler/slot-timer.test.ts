import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "../log.ts";
import { SlotTimer } from "./slot-timer.ts";

type Item = { readonly name: string; fireAt: number; place: number };

const SECOND = 1000;
const start = Date.UTC(2030, 0, 1);
const item = (name: string, fireAt: number): Item => ({ name, fireAt, place: -1 });

describe("the timer of slots", () => {
  const fired: string[] = [];
  const errors: string[] = [];
  let again: (item: Item) => Promise<number | undefined>;
  const make = () => {
    const timer = new SlotTimer<Item>({
      clock: Date.now,
      log: createLogger({ level: "error", format: "json", now: Date.now, write: (line) => errors.push(line) }),
      onDue: (due) => {
        fired.push(`${due.name} ${(Date.now() - start) / SECOND}`);
        return again(due);
      },
    });
    timer.start();
    return timer;
  };
  beforeEach(() => {
    vi.useFakeTimers({ now: start });
    fired.length = 0;
    errors.length = 0;
    again = async () => undefined;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("fires each item at its time, and again when it is told to", async () => {
    again = async (due) => (due.name === "twice" && due.fireAt < start + 5 * SECOND ? start + 8 * SECOND : undefined);
    const timer = make();
    timer.add(item("late", start + 9 * SECOND));
    timer.add(item("twice", start + 3 * SECOND));
    timer.add(item("past", start - SECOND));
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(fired).toEqual(["past 0", "twice 3", "twice 8", "late 9"]);
  });

  test("has one timer, whatever waits, and none when nothing does", async () => {
    const timer = make();
    const items = Array.from({ length: 1000 }, (_, n) => item(`far ${n}`, start + 1e9 + n));
    for (const one of items) timer.add(one);
    expect(vi.getTimerCount()).toBe(1);
    for (const one of items) timer.remove(one);
    await vi.advanceTimersByTimeAsync(61 * SECOND);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("an item that is taken out while it is in hand does not come back", async () => {
    const inHand = Promise.withResolvers<number>();
    again = () => inHand.promise;
    const timer = make();
    const one = item("one", start);
    timer.add(one);
    await vi.advanceTimersByTimeAsync(0);
    timer.remove(one);
    inHand.resolve(start + SECOND);
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(fired).toEqual(["one 0"]);
  });

  test("an item that could not be dealt with is tried again, and said to have been", async () => {
    let failures = 2;
    again = async () => {
      if (failures-- > 0) throw new Error("no luck");
      return undefined;
    };
    make().add(item("one", start));
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect([fired, errors.length]).toEqual([["one 0", "one 1", "one 2"], 2]);
  });

  test("fires nothing while it is stopped, and what was missed when it goes on", async () => {
    const timer = make();
    timer.add(item("one", start + SECOND));
    await timer.stop();
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(fired).toEqual([]);
    timer.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(fired).toEqual(["one 5"]);
  });

  test("spreads items by the size of the last burst, and not beyond what is allowed", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const timer = make();
    expect(timer.spread(1000)).toBe(0);
    for (let n = 0; n < 100; n++) timer.add(item(`one of many ${n}`, start));
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(fired).toHaveLength(100);
    expect([timer.spread(1000), timer.spread(10), timer.spread(0)]).toEqual([15, 5, 0]);
    vi.restoreAllMocks();
  });

  test("notices that the clock was set within a minute", async () => {
    make().add(item("tomorrow", start + 86_400 * SECOND));
    await vi.advanceTimersByTimeAsync(SECOND);
    vi.setSystemTime(start + 86_400 * SECOND);
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(fired).toHaveLength(1);
  });
});
