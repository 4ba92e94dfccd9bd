import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

/**
 * Execution ids: UUID version 7, so that rows written together lie together, with the last six digits zero: that is
 * where task numbers go. Ids of one millisecond count up; 38 random bits tell servers apart.
 */
export function createExecutionIds(clock: Clock): () => string {
  const random = Buffer.alloc(5 * 512);
  let offset = random.length;
  let lastMs = 0;
  let counter = 0;
  return () => {
    const now = clock();
    counter = now === lastMs ? counter + 1 : 0;
    // More than 4,096 ids in one millisecond borrow from the next.
    lastMs = counter > 0xfff ? now + 1 : now;
    if (counter > 0xfff) counter = 0;
    if (offset === random.length) {
      randomFillSync(random);
      offset = 0;
    }
    const time = lastMs.toString(16).padStart(12, "0");
    const bytes = random.toString("hex", offset, offset + 5);
    offset += 5;
    const variant = (8 + (Number.parseInt(bytes[0] ?? "0", 16) & 3)).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${variant}${bytes.slice(1, 4)}-${bytes.slice(4, 10)}000000`;
  };
}
