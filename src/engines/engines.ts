/**
 * Engines by name, engine preferences and fallback.
 *
 * An engine is a binding (native code or the portable engine) and a number, which selects the
 * kernel's interfaces in native code. Calls without a preference use the default engine. With
 * several engines, the later ones are fallbacks; each fallback is counted, and a warning is emitted
 * once for each algorithm and reason.
 */
import { attach, native, nativeName } from './binding.js';
import { shownName } from '../base/nearest.js';
import { makeError, MillraceError, wrongType } from '../base/errors.js';
import type { DirectNative, Native } from '../base/frame.js';
import { isRevoked } from '../base/intrinsics.js';
import {
  engineFromEnvironment,
  openEngine,
  warn,
  type BindingName,
} from '#platform/engines/engine.js';
import { CopiedBytes, EngineNumber, KdfMemory } from '../base/protocol.js';

/**
 * The name of an engine.
 *
 * - `'native'`: libraries in the native binary, with this CPU's instructions; Node.js only
 * - `'portable'`: JavaScript and WebAssembly, everywhere
 * - `'kernel'`: the Linux kernel, by /dev/crypto if hardware serves the algorithm, otherwise by
 *   AF_ALG, otherwise by /dev/crypto. It is for accelerators and for keys outside this process;
 *   without an accelerator it is slower at every size
 * - `'af_alg'`, `'cryptodev'`: the Linux kernel, by that interface only
 */
export type EngineName = 'native' | 'portable' | 'kernel' | 'af_alg' | 'cryptodev';

/** The option that selects an engine. */
export interface EngineOptions {
  /**
   * The engine, or several in order of preference; by default the setting of `configure`. If one
   * engine is given and cannot serve the call, it throws ERR_ENGINE_UNAVAILABLE with the reason and
   * the remedy. If several are given, the next one serves, with a warning
   * (MILLRACE_ENGINE_FALLBACK) and an entry in `engines()`. A prepared key works only with the
   * engines it was prepared for.
   */
  readonly engine?: EngineName | readonly EngineName[] | undefined;
}

/** An engine that was opened. */
export interface Engine {
  readonly name: EngineName;
  readonly binding: Native;
  /** Its number in {@link At.Engine}. */
  readonly number: EngineNumber;
  /**
   * True if it computes in this process. The kernel does not: a running hash has a handle instead
   * of a state.
   */
  readonly here: boolean;
  /** The binding for the fast path (fast-path.ts), if it has one. */
  readonly quick: Native | undefined;
  /** The native binary, if this engine is in it. */
  readonly direct: DirectNative | undefined;
}

/** At least one engine, in order of preference; all are open. */
export interface EnginePreference {
  readonly engines: readonly Engine[];
  /** The names as requested. */
  readonly names: readonly EngineName[];
  /** The handles of a prepared key, one for each engine. */
  readonly handles: readonly number[] | undefined;
  /** The uses of a prepared key. */
  readonly uses: KeyUses | undefined;
}

/** The uses of a prepared key, which all its engines share. */
export interface KeyUses {
  /** The calls that may still use another engine. They keep a disposed key alive. */
  waiting: number;
  /** Releases the key; set once it is disposed of. */
  over: (() => void) | undefined;
  /** True once the native memory is wiped: a handle may then be another key's. */
  wiped: boolean;
  /** Called once the native memory is wiped, for a key of a KeyObject (operations/kept-keys.ts). */
  released: (() => void) | undefined;
  /** The messages sealed with a random nonce of 12 bytes (operations/nonces.ts). */
  shortNonces: number;
}

/** Returns the uses of a new key. */
export function noUses(): KeyUses {
  return { waiting: 0, over: undefined, wiped: false, released: undefined, shortNonces: 0 };
}

/**
 * The numbers of {@link At.Engine}. The portable binding has only the number of the native engine.
 */
const numbers: Record<EngineName, EngineNumber> = {
  native: EngineNumber.Native,
  portable: EngineNumber.Native,
  kernel: EngineNumber.Kernel,
  af_alg: EngineNumber.AfAlg,
  cryptodev: EngineNumber.Cryptodev,
};
const names: readonly EngineName[] = ['native', 'portable', 'kernel', 'af_alg', 'cryptodev'];

const bindings = { __proto__: null, [nativeName]: native } as Partial<Record<BindingName, Native>>;
const found: Partial<Record<EngineName, Engine | MillraceError>> = Object.create(null);

/** Returns the engine of that name, or the error that it cannot be opened. */
export function engineOf(name: EngineName): Engine | MillraceError {
  return (found[name] ??= open(name));
}

function open(name: EngineName): Engine | MillraceError {
  const part = name === 'portable' ? 'portable' : 'native';
  try {
    bindings[part] ??= opened(part);
  } catch (error) {
    const { message } = error as Error;
    return makeError(
      'ERR_ENGINE_UNAVAILABLE',
      part === name
        ? `the ${name} engine is not there: ${message}`
        : `the ${name} engine is reached through native code: ${message}`,
    );
  }
  const [binding, here] = [bindings[part], name === part];
  return {
    name,
    binding,
    number: numbers[name],
    here,
    quick: here ? binding : undefined,
    direct: name === 'native' ? (binding as DirectNative) : undefined,
  };
}

function opened(name: BindingName): Native {
  const binding = openEngine(name);
  attach(binding);
  // Apply the current settings.
  if (native.copies(CopiedBytes.Limit) > 0) binding.setCopies(native.copies(CopiedBytes.Limit));
  if (native.derivationMemory(KdfMemory.Limit) > 0)
    binding.setDerivationMemory(native.derivationMemory(KdfMemory.Limit));
  binding.setDefaultRoute(native.defaultRoute());
  binding.setSecureMemory(native.secureMemoryMode());
  return binding;
}

/** Returns all open bindings. Settings apply to each of them. */
export function openBindings(): readonly Native[] {
  return Object.values(bindings);
}

// choices

/** The engine of the cost model (cost-model.ts). */
export const base = engineOf(nativeName) as Engine;

/** The preference `'auto'`. */
export const automatic: EnginePreference = {
  engines: [base],
  names: [nativeName],
  handles: undefined,
  uses: undefined,
};

/** The engine preference of calls without one. */
export const defaultEngine = { preference: automatic, engine: base };

/** Preferences of one engine, created once. */
const single: Partial<Record<EngineName, EnginePreference>> = Object.create(null);

/** Parses the option `engine`. */
export function readEnginePreference(
  value: unknown,
  option = 'options.engine',
): EnginePreference | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    const name = engineName(value, option, false);
    return (single[name] ??= choose([name]));
  }
  if (isRevoked(value) || !Array.isArray(value))
    throw wrongType(option, 'the name of an engine or an array of names', value);
  const asked = [...(value as unknown[])];
  if (asked.length === 0)
    throw makeError('ERR_ARGUMENT_VALUE', `${option} must name at least one engine`);
  return choose([
    ...new Set(asked.map((each, index) => engineName(each, `${option}[${index}]`, false))),
  ]);
}

/** Returns the name of an engine. */
export function engineName(value: unknown, option: string, auto: boolean): EngineName {
  if (names.includes(value as EngineName)) return value as EngineName;
  const expected =
    "'native', 'portable', 'kernel', 'af_alg'" +
    (auto ? ", 'cryptodev' or 'auto'" : " or 'cryptodev'");
  if (typeof value !== 'string') throw wrongType(option, expected, value);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${option} must be ${expected}, not ${shownName(value, names)}`,
  );
}

/** Opens the engines. Throws the last error if none can be opened. */
function choose(asked: readonly EngineName[]): EnginePreference {
  const engines: Engine[] = [];
  const missing: [EngineName, MillraceError][] = [];
  for (const name of asked) {
    const engine = engineOf(name);
    if (engine instanceof MillraceError) missing.push([name, engine]);
    else engines.push(engine);
  }
  if (engines.length === 0) throw makeError('ERR_ENGINE_UNAVAILABLE', missing.at(-1)![1].message);
  for (const [name, { message }] of missing)
    if (asked.indexOf(name) < asked.indexOf(engines[0]!.name))
      recordFallback('all algorithms', name, engines[0]!.name, message);
  return { engines, names: asked, handles: undefined, uses: undefined };
}

/** Parses the setting `engine`, which may be `'auto'`. */
export function readDefaultEngine(value: unknown, option: string): EnginePreference {
  if (value === 'auto') return automatic;
  if (typeof value === 'string') engineName(value, option, true);
  return readEnginePreference(value, option) ?? automatic;
}

export function setDefaultEngine(preference: EnginePreference): void {
  defaultEngine.preference = preference;
  defaultEngine.engine = preference.engines[0]!;
}

/** Returns the current setting. */
export function defaultEngineNames(): 'auto' | EngineName | readonly EngineName[] {
  const { preference } = defaultEngine;
  if (preference === automatic) return 'auto';
  return preference.names.length === 1 ? preference.names[0]! : [...preference.names];
}

/** Restricts a preference to some of its engines. */
function only(
  { engines, names: asked, handles, uses }: EnginePreference,
  kept: readonly Engine[],
): EnginePreference {
  return {
    engines: kept,
    names: asked,
    handles: handles && kept.map((engine) => handles[engines.indexOf(engine)]!),
    uses,
  };
}

/** Returns a slice of a preference. */
export function sliceOf(
  preference: EnginePreference,
  start: number,
  end = start + 1,
): EnginePreference {
  return only(preference, preference.engines.slice(start, end));
}

/** Restricts a preference to the engines that hold a prepared key. */
export function withKeyEngines(
  holding: EnginePreference,
  asked: EnginePreference,
): EnginePreference {
  const { engines } = holding;
  const both = asked.engines.filter((engine) => engines.includes(engine));
  if (both.length === 0) {
    throw makeError(
      'ERR_ENGINE_UNAVAILABLE',
      `options.engine: the key is prepared for ${engines.map(({ name }) => name).join(' and ')}; ` +
        'createKey(algorithm, key, { engine }) prepares it for others',
    );
  }
  return { ...only(holding, both), names: asked.names };
}

/**
 * Returns the engines in this process, for operations the kernel does not have. Records a fallback
 * if the caller named the kernel.
 */
export function localEngines(
  preference: EnginePreference | undefined,
  what: string,
): EnginePreference {
  const from = preference ?? defaultEngine.preference;
  const { engines } = from;
  const here = engines.filter((engine) => engine.here);
  if (here.length === engines.length) return from;
  if (here.length > 0) {
    if (preference !== undefined)
      recordFallback(what, engines[0]!.name, here[0]!.name, NOT_IN_KERNEL);
    return { ...only(from, here), uses: undefined };
  }
  if (preference === undefined) return automatic;
  throw makeError('ERR_ENGINE_UNAVAILABLE', `${what}: ${NOT_IN_KERNEL}`);
}

const NOT_IN_KERNEL = "the kernel does not do this; ask for 'native' or 'portable'";

// fallback

/** A fallback from one engine to another. */
export interface Fallback {
  /** The algorithm's standard name, or `key derivation`. */
  readonly algorithm: string;
  /** The requested engine. */
  readonly from: EngineName;
  /** The engine that served instead. */
  readonly to: EngineName;
  /** The reason, as the error would have given it. */
  readonly reason: string;
  /** The number of calls. */
  readonly count: number;
}

const fallbacks = new Map<string, { -readonly [Name in keyof Fallback]: Fallback[Name] }>();

/** Counts a fallback, and emits a warning for the first one. */
export function recordFallback(
  algorithm: string,
  from: EngineName,
  to: EngineName,
  reason: string,
): void {
  const name = [algorithm, from, reason].join('\0');
  const known = fallbacks.get(name);
  if (known !== undefined) {
    known.to = to;
    known.count += 1;
    return;
  }
  fallbacks.set(name, { algorithm, from, to, reason, count: 1 });
  warn(
    `${algorithm}: the ${from} engine does not serve, and ${to} does instead: ${reason}`,
    'MILLRACE_ENGINE_FALLBACK',
  );
}

/** Returns all fallbacks so far. */
export function fallbackList(): Fallback[] {
  return [...fallbacks.values()].map((each) => ({ ...each }));
}

// The environment variable sets the initial preference.
const asked = engineFromEnvironment();
if (asked !== undefined && asked !== '' && asked !== nativeName) {
  const list = asked.split(',').map((each) => each.trim());
  setDefaultEngine(readDefaultEngine(list.length === 1 ? list[0] : list, 'MILLRACE_ENGINE'));
}
