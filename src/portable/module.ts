/**
 * WebAssembly of this package: modules are embedded as text (src/portable/modules, written by
 * tools/wasm.mjs), and compiled and instantiated synchronously at first use. For edge runtimes,
 * which compile no bytes, tools/bundle.mjs replaces the texts by compiled modules.
 */
import { replacement, type JavaScriptModule, type Module } from './replacement.js';

export type { JavaScriptModule, Module };

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => Module;
  readonly Instance: new (module: Module, imports?: object) => { readonly exports: object };
  validate(bytes: Uint8Array): boolean;
}

// Neither Node's types nor the language's have it.
declare const WebAssembly: WebAssemblyApi | undefined;

/**
 * Thrown where a module cannot run. `absent`: the runtime has no WebAssembly; `vectors`: its
 * WebAssembly has no usable vectors of 128 bits; `policy`: it compiles no bytes, as on a page with
 * a Content-Security-Policy that lacks 'wasm-unsafe-eval', in Cloudflare Workers and in other edge
 * runtimes.
 */
export class NoWebAssembly extends Error {
  constructor(
    readonly reason: keyof typeof reasons,
    options?: ErrorOptions,
  ) {
    super(reasons[reason], options);
  }
}

const reasons = {
  absent: 'this runtime has no WebAssembly',
  vectors: 'the WebAssembly of this runtime has no usable vectors',
  policy: "WebAssembly may not be compiled: the Content-Security-Policy lacks 'wasm-unsafe-eval'",
};

/** A module as text, or compiled by the runtime. */
export type ModuleSource = string | Module;

/** Why a module could not be compiled. */
export let refusal: NoWebAssembly | undefined;

/**
 * Compiles a module, or returns its replacement by this name. Callers keep the result.
 *
 * @throws NoWebAssembly
 */
export function compiled(name: string, text: () => ModuleSource): Module | JavaScriptModule {
  try {
    return compileText(text());
  } catch (error) {
    refusal = error as NoWebAssembly;
    const found = replacement()?.(name, refusal.reason === 'vectors');
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * Compiles a module, which has vectors unless it is `plain`.
 *
 * @throws NoWebAssembly
 */
export function compileText(text: ModuleSource, plain = false): Module {
  if (typeof text !== 'string') return text;
  if (typeof WebAssembly !== 'object') throw new NoWebAssembly('absent');
  // In Node.js 20 for s390x, optimized code with vectors computes a wrong BLAKE2b.
  if (!plain && new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1)
    throw new NoWebAssembly('vectors');
  const bytes = decode(text);
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw new NoWebAssembly(WebAssembly.validate(bytes) ? 'policy' : 'vectors', { cause });
  }
}

/** Returns the exports of a new instance with its own memory. */
export function instantiate<Exports extends object>(
  module: Module | JavaScriptModule,
  imports: object,
): Exports {
  return (
    typeof module === 'function'
      ? module(imports)
      : new WebAssembly!.Instance(module, imports).exports
  ) as Exports;
}

/** Decodes the bytes of a module: `encode` in tools/wasm.mjs describes the text. */
function decode(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let at = 0; at < text.length;) {
    let code = text.charCodeAt(at++) - 32;
    if (code > 91) code = (code - 91) * 92 + text.charCodeAt(at++) - 32;
    bytes[size++] = code - 8;
  }
  return bytes.subarray(0, size);
}
