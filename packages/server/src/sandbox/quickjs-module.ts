import { RELEASE_SYNC } from "quickjs-emscripten";

/**
 * The functions of the C library below quickjs-emscripten's own objects. Those objects keep pointers and count
 * references on our side, which does not go together with putting memory back to an earlier state.
 */
export type Ffi = InstanceType<FfiClass>;
export type Module = ConstructorParameters<FfiClass>[0];
export type QuickJsModule = { readonly module: Module; readonly ffi: Ffi };

type FfiClass = Awaited<ReturnType<typeof RELEASE_SYNC.importFFI>>;

export type Runtime = ReturnType<Ffi["QTS_NewRuntime"]>;
export type Context = ReturnType<Ffi["QTS_NewContext"]>;
export type Value = ReturnType<Ffi["QTS_GetGlobalObject"]>;
export type Arguments = Parameters<Ffi["QTS_Call"]>[4];
type CharPointer = Parameters<Ffi["QTS_Eval"]>[1];
type DetectModule = Parameters<Ffi["QTS_Eval"]>[4];
type EvalFlags = Parameters<Ffi["QTS_Eval"]>[5];

export type QuickJsOptions = {
  /** What scripts may allocate, the 100 KB of a context included; 10 MiB are there in any case. */
  readonly memoryBytes: number;
  /** Asked every ten thousand steps or so of a script; true ends it. */
  readonly shouldStop: () => boolean;
};

export async function loadQuickJs({ memoryBytes, shouldStop }: QuickJsOptions): Promise<QuickJsModule> {
  const FfiOfModule = await RELEASE_SYNC.importFFI();
  const instantiate = await RELEASE_SYNC.importModuleLoader();
  if (typeof instantiate !== "function") {
    throw new Error(`Expected the loader of QuickJS to be a function, got ${typeof instantiate}`);
  }
  // The limit of QuickJS itself counts the allocations in this build, not their sizes.
  const wasmMemory = new WebAssembly.Memory({
    initial: initialBytes / pageBytes,
    maximum: maximumBytes(memoryBytes) / pageBytes,
  });
  const module = await instantiate({ ...silence, wasmMemory });
  const ffi = new FfiOfModule(module);
  module.callbacks = {
    shouldInterrupt: () => (shouldStop() ? 1 : 0),
    // There is one host function, the Math.random of the realm.
    callFunction: (_asyncify, context) => ffi.QTS_NewFloat64(context, Math.random()),
    freeHostRef: () => {},
    loadModuleSource: noModule,
    normalizeModule: noModule,
  };
  return { module, ffi };
}

// What the C library prints, such as a failed assertion: the exception that follows says the same.
const silence = { print: () => {}, printErr: () => {}, monitorRunDependencies: () => {} };

// The libraries of the type checker have WebAssembly only together with a browser's.
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
};

const pageBytes = 64 * 1024;
const initialBytes = 16 * 1024 * 1024;

/** The whole memory of an instance: statics and stack, 6 MB, and a heap that grows in steps of a twentieth. */
export function maximumBytes(memoryBytes: number): number {
  const wanted = 6 * 1024 * 1024 + memoryBytes * 1.05;
  return Math.max(initialBytes, Math.ceil(wanted / pageBytes) * pageBytes);
}

const noModule = () => 0 as CharPointer;

/** As a script, as a script that may `await`, or not run at all. */
export type EvalMode = "script" | "async" | "compile-only";

const evalFlags: Record<EvalMode, number> = { script: 0, async: 1 << 7, "compile-only": 1 << 5 };

export type SourceText = { readonly name: string; readonly text: string; readonly mode: EvalMode };

export function evalSource({ module, ffi }: QuickJsModule, context: Context, source: SourceText): Value {
  const bytes = Buffer.from(source.text);
  const at = placeText(module, bytes);
  const flags = evalFlags[source.mode] as EvalFlags;
  return ffi.QTS_Eval(context, at, bytes.length, source.name, 0 as DetectModule, flags);
}

/** The text in the memory of the module, followed by the zero that QuickJS reads even where it is told the length. */
export function placeText(module: Module, text: Uint8Array): CharPointer {
  const at = module._malloc(text.length + 1);
  if (at === 0) {
    throw new Error("out of memory");
  }
  module.HEAPU8.set(text, at);
  module.HEAPU8[at + text.length] = 0;
  return at as CharPointer;
}

export function readWord({ HEAPU8 }: Module, at: number): number {
  return new DataView(HEAPU8.buffer).getUint32(at, true);
}

export function writeWord({ HEAPU8 }: Module, at: number, word: number): void {
  new DataView(HEAPU8.buffer).setUint32(at, word, true);
}
