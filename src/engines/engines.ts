/**
 * Who computes: engines by name, orders of preference, and what happens when the first choice
 * cannot.
 *
 * An engine is a binding (native code, or the portable engine) and the number by which native code
 * knows the kernel's ways. Calls that ask for none are served by the {@link usual} choice. Where
 * several engines are given, the later ones are the fallback that the caller allows: it is told of
 * by a warning, once for each algorithm and reason, and counted.
 */
import { attach, native, nativeName } from './binding.js';
import { makeError, wrongType, type MillraceError } from '../request/errors.js';
import type { Native } from '../request/frame.js';
import { isRevoked } from '../request/intrinsics.js';
import type { Names } from '../request/options.js';
import { engineFromEnvironment, openEngine, warn, type BindingName } from '#platform/engine.js';
import { CopiedBytes, EngineNumber, KdfMemory } from '../request/protocol.js';

/**
 * Who computes.
 *
 * - `'native'`: the libraries compiled into the binary, with this CPU's instructions. Node.js only
 * - `'portable'`: JavaScript and WebAssembly, everywhere
 * - `'kernel'`: the Linux kernel: by /dev/crypto where that says that hardware serves the
 *   algorithm, else by AF_ALG, else by /dev/crypto. For accelerators and for keys that shall not be
 *   in this process; on a PC it is slower at every size
 * - `'af_alg'`, `'cryptodev'`: the kernel, by that way only
 */
export type EngineName = 'native' | 'portable' | 'kernel' | 'af_alg' | 'cryptodev';

/** An option of most calls. */
export interface EngineOptions {
  /**
   * Who computes: a name, or several in order of preference. With one name the call fails where
   * that engine cannot serve it, with ERR_ENGINE_UNAVAILABLE, whose message says why and how to
   * mend it; with several the next one serves, and a warning (MILLRACE_ENGINE_FALLBACK) and
   * `engines()` tell of it. By default as `configure` says. A prepared key is served by the engines
   * it was prepared for.
   */
  readonly engine?: EngineName | readonly EngineName[] | undefined;
}

export const engineNames: Names<EngineOptions> = { engine: true };

/** An engine that is there. */
export interface Engine {
  readonly name: EngineName;
  readonly binding: Native;
  /** In {@link At.Engine}. */
  readonly number: EngineNumber;
  /**
   * Whether it computes in this process. The kernel does not: a handle takes the place of a running
   * hash's state.
   */
  readonly here: boolean;
  /** Where everyday digests go (quick.ts), if it has them. */
  readonly quick: Native | undefined;
}

/** Engines in order of preference, all of them there, and at least one. */
export interface EnginePreference {
  readonly engines: readonly Engine[];
  /** As they were asked for. */
  readonly names: readonly EngineName[];
  /** Of a prepared key, its handle for each. */
  readonly handles?: readonly number[];
  /** Of a prepared key, the calls that may yet turn to another of its engines. */
  readonly pin?: KeyPin;
}

/** A key that is disposed of stays as long as calls begun with it may turn to another engine. */
export interface KeyPin {
  waiting: number;
  /** Set once the key is disposed of: what is then to be done. */
  over: (() => void) | undefined;
}

/** The numbers of {@link At.Engine}. The portable engine is the native one of its own binding. */
const numbers: Record<EngineName, EngineNumber> = {
  native: EngineNumber.Native,
  portable: EngineNumber.Native,
  kernel: EngineNumber.Kernel,
  af_alg: EngineNumber.AfAlg,
  cryptodev: EngineNumber.Cryptodev,
};
const names: readonly EngineName[] = ['native', 'portable', 'kernel', 'af_alg', 'cryptodev'];

const bindings: Partial<Record<BindingName, Native>> = { [nativeName]: native };
const found: Partial<Record<EngineName, Engine | MillraceError>> = {};

/** The engine of that name, or why it is not there. */
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
  return { name, binding, number: numbers[name], here, quick: here ? binding : undefined };
}

function opened(name: BindingName): Native {
  const binding = openEngine(name);
  attach(binding);
  // As it was configured so far.
  if (native.copies(CopiedBytes.Limit) > 0) binding.setCopies(native.copies(CopiedBytes.Limit));
  if (native.derivationMemory(KdfMemory.Limit) > 0)
    binding.setDerivationMemory(native.derivationMemory(KdfMemory.Limit));
  binding.setDefaultRoute(native.defaultRoute());
  return binding;
}

/** All bindings that have been opened: what is configured, is so for each. */
export function openBindings(): readonly Native[] {
  return Object.values(bindings);
}

// ---- choices ------------------------------------------------------------------------------------

/**
 * The engine whose prices are known (prices.ts), and whose worker threads do what is not worth
 * asking for.
 */
export const base = engineOf(nativeName) as Engine;

/** The choice of who does not choose. */
export const automatic: EnginePreference = { engines: [base], names: [nativeName] };

/** What serves calls that ask for nothing. */
export const usual = { choice: automatic, engine: base };

/** Of each single name, its choice: they are made once. */
const single: Partial<Record<EngineName, EnginePreference>> = {};

/** Reads an option. */
export function readEnginePreference(value: unknown, option: string): EnginePreference {
  if (typeof value === 'string') {
    const name = nameOf(value, option, false);
    return (single[name] ??= choose([name]));
  }
  if (isRevoked(value) || !Array.isArray(value))
    throw wrongType(option, 'the name of an engine or an array of names', value);
  const asked = [...(value as unknown[])];
  if (asked.length === 0)
    throw makeError('ERR_ARGUMENT_VALUE', `${option} must name at least one engine`);
  return choose([
    ...new Set(asked.map((each, index) => nameOf(each, `${option}[${index}]`, false))),
  ]);
}

function nameOf(value: unknown, option: string, auto: boolean): EngineName {
  if (names.includes(value as EngineName)) return value as EngineName;
  const expected = `'native', 'portable', 'kernel', 'af_alg'${auto ? ", 'cryptodev' or 'auto'" : " or 'cryptodev'"}`;
  if (typeof value !== 'string') throw wrongType(option, expected, value);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${option} must be ${expected}, not ${JSON.stringify(value.slice(0, 40))}`,
  );
}

/** Those that are there; the error of the last, if none is. */
function choose(asked: readonly EngineName[]): EnginePreference {
  const engines: Engine[] = [];
  const missing: [EngineName, MillraceError][] = [];
  for (const name of asked) {
    const engine = engineOf(name);
    if ('binding' in engine) engines.push(engine);
    else missing.push([name, engine]);
  }
  if (engines.length === 0) throw makeError('ERR_ENGINE_UNAVAILABLE', missing.at(-1)![1].message);
  for (const [name, { message }] of missing)
    if (asked.indexOf(name) < asked.indexOf(engines[0]!.name))
      recordFallback('all algorithms', name, engines[0]!.name, message);
  return { engines, names: asked };
}

/** Reads a setting, which may be `'auto'`. */
export function readDefaultEngine(value: unknown, option: string): EnginePreference {
  if (value === 'auto') return automatic;
  if (typeof value === 'string') nameOf(value, option, true);
  return readEnginePreference(value, option);
}

export function setDefaultEngine(choice: EnginePreference): void {
  usual.choice = choice;
  usual.engine = choice.engines[0]!;
}

/** As it is set. */
export function defaultEngineNames(): 'auto' | EngineName | readonly EngineName[] {
  const { choice } = usual;
  if (choice === automatic) return 'auto';
  return choice.names.length === 1 ? choice.names[0]! : [...choice.names];
}

/** Some of a choice. */
export function sliceOf(
  { engines, names: asked, handles, pin }: EnginePreference,
  start: number,
  end = start + 1,
): EnginePreference {
  const part = { engines: engines.slice(start, end), names: asked, ...(pin && { pin }) };
  return handles === undefined ? part : { ...part, handles: handles.slice(start, end) };
}

/** Of the engines that have a key, those of an order of preference. */
export function withKeyEngines(
  { engines, handles = [], pin }: EnginePreference,
  asked: EnginePreference,
): EnginePreference {
  const both = asked.engines.filter((engine) => engines.includes(engine));
  if (both.length === 0) {
    throw makeError(
      'ERR_ENGINE_UNAVAILABLE',
      `options.engine: the key is with ${engines.map(({ name }) => name).join(' and ')}; createKey(algorithm, key, { engine }) prepares it for others`,
    );
  }
  return {
    engines: both,
    names: asked.names,
    handles: both.map((engine) => handles[engines.indexOf(engine)]!),
    ...(pin && { pin }),
  };
}

/**
 * The same without the kernel, for what the kernel has no words for. What is asked for by name is
 * not given in silence.
 */
export function localEngines(choice: EnginePreference | undefined, what: string): EnginePreference {
  const { engines, names: asked, handles } = choice ?? usual.choice;
  const here = engines.filter((engine) => engine.here);
  if (here.length === engines.length) return choice ?? usual.choice;
  if (here.length > 0) {
    if (choice !== undefined) recordFallback(what, engines[0]!.name, here[0]!.name, NOT_IN_KERNEL);
    const part = { engines: here, names: asked };
    return handles === undefined
      ? part
      : { ...part, handles: here.map((engine) => handles[engines.indexOf(engine)]!) };
  }
  if (choice === undefined) return automatic;
  throw makeError('ERR_ENGINE_UNAVAILABLE', `${what}: ${NOT_IN_KERNEL}`);
}

const NOT_IN_KERNEL = "the kernel does not do this; ask for 'native' or 'portable'";

// ---- fallback -----------------------------------------------------------------------------------

/** How often an engine was asked for in vain, and another served. */
export interface Fallback {
  /** Its standard name; `key derivation` where that is meant as a whole. */
  readonly algorithm: string;
  /** The engine that was asked for. */
  readonly from: EngineName;
  /** The one that served. */
  readonly to: EngineName;
  /** Why, as the error would have said. */
  readonly reason: string;
  /** How many calls. */
  readonly count: number;
}

const fallbacks = new Map<string, { -readonly [Name in keyof Fallback]: Fallback[Name] }>();

/** Counts a fallback, and warns of it the first time. */
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

/** All fallbacks so far. */
export function fallbackList(): Fallback[] {
  return [...fallbacks.values()].map((each) => ({ ...each }));
}

// The environment's word comes before the program's.
const asked = engineFromEnvironment();
if (asked !== undefined && asked !== '' && asked !== nativeName) {
  const list = asked.split(',').map((each) => each.trim());
  setDefaultEngine(readDefaultEngine(list.length === 1 ? list[0] : list, 'MILLRACE_ENGINE'));
}
