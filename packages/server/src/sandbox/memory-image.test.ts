import { expect, test } from "vitest";
import { captureChanges, captureImage, imageBytes, restoreImage } from "./memory-image.ts";

const kib = 1024;

/** Zeros with a byte set at each of the places. */
function memoryWith(...places: number[]): Uint8Array {
  const memory = new Uint8Array(2048 * kib);
  for (const at of places) {
    memory[at] = 1;
  }
  return memory;
}

test("an image holds the pages in use and leaves out long unused parts", () => {
  const image = captureImage(memoryWith(10, 1024 * kib));
  expect(image.map(({ at, bytes }) => [at, bytes.length])).toEqual([
    [0, 8 * kib],
    [1024 * kib, 8 * kib],
  ]);
});

test("an image holds short unused parts, which may be tables that are still empty", () => {
  const image = captureImage(memoryWith(10, 200 * kib));
  expect(image.map(({ at, bytes }) => [at, bytes.length])).toEqual([[0, 208 * kib]]);
});

test("restoring undoes every write inside the image", () => {
  const fresh = memoryWith(10, 200 * kib);
  const memory = fresh.slice();
  const image = captureImage(memory);
  memory.fill(7, 0, 208 * kib);
  restoreImage(memory, image);
  expect(Buffer.compare(memory, fresh)).toBe(0);
});

test("changes restored over an image give the state in which they were captured", () => {
  const memory = memoryWith(10, 1024 * kib);
  const image = captureImage(memory);
  const free = { from: 8 * kib, to: 64 * kib };
  memory[11] = 5;
  memory[3000] = 6;
  memory[30 * kib] = 7;
  memory[1024 * kib] = 0;
  const started = memory.slice();
  const changes = captureChanges(memory, image, free);
  expect(imageBytes(changes)).toBeLessThanOrEqual(4 * 256);

  memory.fill(9, 0, 64 * kib);
  memory.fill(9, 1024 * kib, 1032 * kib);
  restoreImage(memory, image);
  memory.fill(0, free.from, free.to);
  restoreImage(memory, changes);
  expect(Buffer.compare(memory, started)).toBe(0);
});
