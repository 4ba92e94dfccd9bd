import { type FreshContext, makeFreshContext, type QuickJsLimits } from "./fresh-context.ts";
import { captureChanges, type MemoryImage, restoreImage } from "./memory-image.ts";
import {
  type Arguments,
  type EvalMode,
  evalSource,
  type Ffi,
  loadQuickJs,
  maximumBytes,
  placeText,
  type QuickJsModule,
  type QuickJsOptions,
  readWord,
  type Value,
  writeWord,
} from "./quickjs-module.ts";
import type { RealmFunction } from "./realm.ts";
import { scriptName } from "./script-error.ts";

/** A script that was started and waits: its promise, and what memory holds besides the fresh context. */
export type Suspension = { readonly promise: Value; readonly changes: MemoryImage };

// An instance starts with 16 MiB of memory, which never shrinks.
const wornOutBytes = 32 * 1024 * 1024;

/**
 * One QuickJS whose memory is put back, as a whole, to how it was before any script. Values are addresses and last
 * until the next `reset`. Every method may throw: a trap in the wasm, memory that cannot be had. Then only `renew` may
 * follow.
 */
export class QuickJs {
  readonly #options: QuickJsOptions;
  readonly #fresh: FreshContext;
  #instance: QuickJsModule;

  private constructor(options: QuickJsOptions, instance: QuickJsModule, fresh: FreshContext) {
    this.#options = options;
    this.#instance = instance;
    this.#fresh = fresh;
  }

  static async open(options: QuickJsOptions & QuickJsLimits): Promise<QuickJs> {
    const instance = await loadQuickJs(options);
    return new QuickJs(options, instance, makeFreshContext(instance, options));
  }

  get isWornOut(): boolean {
    return this.#instance.module.HEAPU8.length > wornOutBytes;
  }

  /** Takes a new instance. The fresh context and all suspensions fit it: they are bytes and addresses in them. */
  async renew(): Promise<void> {
    this.#instance = await loadQuickJs(this.#options);
  }

  /** As if nothing had run, or as if only the suspended script had been started. */
  reset(suspension?: Suspension): void {
    const { HEAPU8 } = this.#instance.module;
    restoreImage(HEAPU8, this.#fresh.image);
    if (suspension !== undefined) {
      restoreImage(HEAPU8, suspension.changes);
    }
  }

  /** Starts a script in a fresh context and keeps it; undefined if `start` gives no promise or memory is too small. */
  suspend(start: () => Value | undefined): Suspension | undefined {
    const { module } = this.#instance;
    const { image, free, heapEndAt } = this.#fresh;
    this.reset();
    module.HEAPU8.fill(0, free.from, free.to);
    const heapEnd = readWord(module, heapEndAt);
    const promise = start();
    const fits = readWord(module, heapEndAt) === heapEnd;
    return promise !== undefined && fits ? { promise, changes: captureChanges(module.HEAPU8, image, free) } : undefined;
  }

  eval(text: string, mode: EvalMode): Value {
    return evalSource(this.#instance, this.#fresh.context, { name: scriptName, text, mode });
  }

  call(name: RealmFunction, argument: Value): Value {
    const { module, ffi } = this.#instance;
    const { context, functions, scratch } = this.#fresh;
    writeWord(module, scratch, argument);
    return ffi.QTS_Call(context, functions[name], ffi.QTS_GetUndefined(), 1, scratch as Arguments);
  }

  runPendingJob(): void {
    const { runtime, scratch } = this.#fresh;
    this.#instance.ffi.QTS_ExecutePendingJob(runtime, 1, scratch as Parameters<Ffi["QTS_ExecutePendingJob"]>[2]);
  }

  /** What was thrown, if `value` is the sign of that. */
  findException(value: Value): Value | undefined {
    const exception = this.#instance.ffi.QTS_ResolveException(this.#fresh.context, value);
    return exception === 0 ? undefined : exception;
  }

  promiseState(promise: Value): "pending" | "fulfilled" | "rejected" {
    const state: number = this.#instance.ffi.QTS_PromiseState(this.#fresh.context, promise);
    return promiseStates[state] ?? "pending";
  }

  promiseResult(promise: Value): Value {
    return this.#instance.ffi.QTS_PromiseResult(this.#fresh.context, promise);
  }

  /** `text` is UTF-8 without zero bytes, as JSON always is. */
  newString(text: Uint8Array): Value {
    const { module, ffi } = this.#instance;
    const at = placeText(module, text);
    const value = ffi.QTS_NewString(this.#fresh.context, at);
    module._free(at);
    return value;
  }

  /** A view of memory, to be read before anything else is called; undefined if memory ran out. */
  findText(value: Value): Uint8Array | undefined {
    const { module, ffi } = this.#instance;
    const at = ffi.QTS_GetString(this.#fresh.context, value);
    return at === 0 ? undefined : module.HEAPU8.subarray(at, module.HEAPU8.indexOf(0, at));
  }

  number(value: Value): number {
    return this.#instance.ffi.QTS_GetFloat64(this.#fresh.context, value);
  }

  /** To be called once after a `reset`, before the first attempt to explain an error that may be lack of memory. */
  freeReserve(): void {
    this.#instance.module._free(this.#fresh.reserve);
  }

  /** Whether the heap has come near to its limit since the last `reset`. */
  get wasFull(): boolean {
    const heapEnd = readWord(this.#instance.module, this.#fresh.heapEndAt);
    return heapEnd > maximumBytes(this.#options.memoryBytes) * 0.9;
  }
}

const promiseStates = ["pending", "fulfilled", "rejected"] as const;
