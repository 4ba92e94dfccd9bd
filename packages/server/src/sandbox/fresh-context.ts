import { captureImage, type MemoryImage, type Span } from "./memory-image.ts";
import {
  type Arguments,
  type Context,
  evalSource,
  type Ffi,
  type QuickJsModule,
  type Runtime,
  type Value,
  writeWord,
} from "./quickjs-module.ts";
import { type RealmFunction, realmFunctions, realmSource } from "./realm.ts";

export type QuickJsLimits = {
  /** What one evaluation may allocate. */
  readonly memoryBytes: number;
  readonly stackBytes: number;
};

/** A context in which nothing has run: its bytes, and addresses in them. They fit every instance of the same wasm. */
export type FreshContext = {
  readonly image: MemoryImage;
  /** Heap that malloc has and nothing uses: what is to be kept of a started script must fit into it. */
  readonly free: Span;
  /** Where the C library keeps the end of the heap. */
  readonly heapEndAt: number;
  readonly runtime: Runtime;
  readonly context: Context;
  readonly functions: Readonly<Record<RealmFunction, Value>>;
  /** Room for one pointer, to pass it by address. */
  readonly scratch: number;
  /** A block to be freed when memory has run out and something is still to be said about it. */
  readonly reserve: number;
};

const freeBytes = 1024 * 1024;
const reserveBytes = 512 * 1024;

export function makeFreshContext(quickJs: QuickJsModule, { memoryBytes, stackBytes }: QuickJsLimits): FreshContext {
  const { module, ffi } = quickJs;
  const reserve = module._malloc(reserveBytes);
  const runtime = ffi.QTS_NewRuntime();
  ffi.QTS_RuntimeSetMemoryLimit(runtime, memoryBytes);
  ffi.QTS_RuntimeSetMaxStackSize(runtime, stackBytes);
  ffi.QTS_RuntimeEnableInterruptHandler(runtime);
  const context = ffi.QTS_NewContext(runtime, allIntrinsics);
  const scratch = module._malloc(8);
  const functions = makeRealm(quickJs, context, scratch);

  const [staticsBefore] = captureImage(module.HEAPU8);
  module._free(module._malloc(freeBytes));
  // Statics, the beginning of the heap up to the reserve, the heap after it, the end of the heap after what is free.
  const image = captureImage(module.HEAPU8);
  const [statics, , heap, end] = image;
  if (staticsBefore === undefined || statics?.at !== 0 || heap === undefined || end === undefined || image.length > 4) {
    throw new Error(`Expected QuickJS to use its memory in 4 parts, got ${image.map(({ at }) => at)}`);
  }
  const free = { from: heap.at + heap.bytes.length, to: end.at };
  const heapEndAt = findHeapEnd(staticsBefore.bytes, statics.bytes, end.at);
  return { image, free, heapEndAt, runtime, context, functions, scratch, reserve };
}

const allIntrinsics = 0 as Parameters<Ffi["QTS_NewContext"]>[1];
const randomFunction = 1 as Parameters<Ffi["QTS_NewFunction"]>[4];

function makeRealm(quickJs: QuickJsModule, context: Context, scratch: number): Record<RealmFunction, Value> {
  const { module, ffi } = quickJs;
  const make = evalSource(quickJs, context, { name: "realm", text: realmSource, mode: "script" });
  writeWord(module, scratch, ffi.QTS_NewFunction(context, "random", 0, false, randomFunction));
  const list = ffi.QTS_Call(context, make, ffi.QTS_GetUndefined(), 1, scratch as Arguments);
  const thrown = ffi.QTS_ResolveException(context, list);
  if (thrown !== 0) {
    throw new Error(`Expected the realm to be made, got ${module.UTF8ToString(ffi.QTS_Dump(context, thrown))}`);
  }
  const named = realmFunctions.map((name, index) => [name, ffi.QTS_GetPropNumber(context, list, index)]);
  return Object.fromEntries(named);
}

/**
 * Where the C library keeps the end of the heap: of the words that grew when the heap did, the greatest; the others are
 * sizes. An unexpected layout must not go unnoticed, since images would be wrong.
 */
function findHeapEnd(staticsBefore: Uint8Array, staticsAfter: Uint8Array, endPage: number): number {
  const before = new Uint32Array(staticsBefore.buffer);
  const after = new Uint32Array(staticsAfter.buffer);
  let found = 0;
  let heapEnd = 0;
  for (let word = 0; word < after.length; word++) {
    const value = after[word] ?? 0;
    const grownBytes = value - (before[word] ?? 0);
    if (grownBytes >= freeBytes / 2 && grownBytes < freeBytes * 2 && value > heapEnd) {
      found = word;
      heapEnd = value;
    }
  }
  if (heapEnd <= endPage || heapEnd > endPage + 4096) {
    throw new Error(`Expected the heap of QuickJS to end on the page at ${endPage}, got ${heapEnd}`);
  }
  return found * 4;
}
