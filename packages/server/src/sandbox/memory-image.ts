/**
 * The state of a QuickJS instance is the bytes of its linear memory and nothing else. An image is a copy of those
 * bytes, so writing it back gives exactly the engine that was captured: globals, prototypes, atoms, job queue, heap.
 */
export type MemoryImage = readonly Stretch[];

type Stretch = { readonly at: number; readonly bytes: Uint8Array };

export type Span = { readonly from: number; readonly to: number };

const pageBytes = 4096;
const granuleBytes = 256;

// A run of zero pages is left out of an image only if it is this long: the unused stack, the unused heap. A shorter
// one may be a table that is still empty.
const shortestGapBytes = 256 * 1024;

// What follows the last byte that is not zero may be a variable that is still zero.
const marginBytes = 4096;

/** The parts that hold state. `memory` must be fresh: in a used one, garbage on the stack and heap looks like state. */
export function captureImage(memory: Uint8Array): MemoryImage {
  const spans: { from: number; to: number }[] = [];
  for (const from of changedPages(memory, { from: 0, to: memory.length })) {
    const last = spans.at(-1);
    const to = Math.min(from + pageBytes + marginBytes, memory.length);
    if (last !== undefined && from - last.to < shortestGapBytes) {
      last.to = to;
    } else {
      spans.push({ from, to });
    }
  }
  return spans.map(({ from, to }) => ({ at: from, bytes: memory.slice(from, to) }));
}

/** What differs from `image`, and what is not zero in `free`, a part outside `image` that was all zeros before. */
export function captureChanges(memory: Uint8Array, image: MemoryImage, free: Span): MemoryImage {
  const changes = changedStretches(memory, free);
  for (const { at, bytes } of image) {
    changes.push(...changedStretches(memory, { from: at, to: at + bytes.length }, bytes));
  }
  return changes;
}

export function restoreImage(memory: Uint8Array, image: MemoryImage): void {
  for (const { at, bytes } of image) {
    memory.set(bytes, at);
  }
}

export function imageBytes(image: MemoryImage): number {
  return image.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** The pages in `span` that are not as in `before`, or not all zeros if that is not given. */
function changedPages(memory: Uint8Array, span: Span, before?: Uint8Array): number[] {
  const pages: number[] = [];
  for (let page = span.from; page < span.to; page += pageBytes) {
    const then = before?.subarray(page - span.from, page - span.from + pageBytes) ?? zeroPage;
    if (Buffer.compare(memory.subarray(page, page + pageBytes), then) !== 0) {
      pages.push(page);
    }
  }
  return pages;
}

const zeroPage = new Uint8Array(pageBytes);

function changedStretches(memory: Uint8Array, span: Span, before?: Uint8Array): Stretch[] {
  const found: Stretch[] = [];
  for (const page of changedPages(memory, span, before)) {
    const then = before?.subarray(page - span.from, page - span.from + pageBytes) ?? zeroPage;
    let start = -1;
    for (let at = 0; at <= pageBytes; at += granuleBytes) {
      const changed = at < pageBytes && isGranuleChanged(memory, page + at, then.subarray(at, at + granuleBytes));
      if (changed && start < 0) {
        start = at;
      } else if (!changed && start >= 0) {
        found.push({ at: page + start, bytes: memory.slice(page + start, page + at) });
        start = -1;
      }
    }
  }
  return found;
}

function isGranuleChanged(memory: Uint8Array, at: number, before: Uint8Array): boolean {
  return Buffer.compare(memory.subarray(at, at + granuleBytes), before) !== 0;
}
