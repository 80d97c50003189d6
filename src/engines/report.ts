/**
 * What serves what: engines by algorithm, and why not; prices; what waits.
 */
import { options } from '../request/arguments.js';
import { native } from './binding.js';
import { engineOf, fallbackList, type EngineName, type Fallback } from './engines.js';
import { describe, makeError, wrongType } from '../request/errors.js';
import { isRevoked } from '../request/intrinsics.js';
import { accepted, type Accepted } from '../request/options.js';
import { settings, type Settings } from './settings.js';
import { CopiedBytes, KdfMemory, Threads } from '../request/protocol.js';

/**
 * What an algorithm is predicted to cost on this machine, and what follows for asynchronous calls.
 * Times in nanoseconds.
 */
export interface Cost {
  /** Of a message beside its bytes. */
  readonly fixed: number;
  /** Of each byte. */
  readonly perByte: number;
  /** Of several messages at once, what each takes of the time it takes alone. Hashes only. */
  readonly batchFactor?: number;
  /**
   * False while the price is that of a table: it is measured by the first worker thread that has
   * done a job.
   */
  readonly measured: boolean;
  /**
   * Messages up to so many bytes are worked on during the call, if others are under way too; alone,
   * longer ones are.
   */
  readonly inlineTo: number;
  /** Messages from so many bytes on are split over all worker threads, if the algorithm can be. */
  readonly splitFrom?: number;
}

/** What an engine that computes in this process has for an algorithm. */
export interface ServedAlgorithm {
  /** The one that does most of the work. */
  readonly library: string;
  /** Those of this CPU that it uses. */
  readonly instructions: readonly string[];
  /** Whether some of them, or a device, are made for cryptography. */
  readonly hardware: boolean;
  /**
   * How many messages one core hashes at once, and with which instructions, where that is quicker
   * than one by one.
   */
  readonly lanes?: { readonly messages: number; readonly instructions: readonly string[] };
}

/** What one way to the kernel has for an algorithm; nothing while it was not asked. */
export interface KernelWay {
  /** The kernel's driver, where it names one. */
  readonly driver?: string;
  /** Whether /dev/crypto says that the driver is hardware. */
  readonly accelerator?: boolean;
  /** The longest message in bytes, where there is a limit. */
  readonly maxMessage?: number;
  /** Why it does not serve, and how to mend it. */
  readonly reason?: string;
}

/** What the kernel has for an algorithm. */
export interface KernelAlgorithm {
  /** The way that `'kernel'` takes. */
  readonly way?: 'af_alg' | 'cryptodev';
  /** Why there is none, and how to mend it. */
  readonly reason?: string;
  /** By AF_ALG. */
  readonly af_alg: KernelWay;
  /** By /dev/crypto. */
  readonly cryptodev: KernelWay;
}

/** What serves each algorithm on this machine. */
export interface Engines {
  /** The native engine: libraries compiled in, with the instructions this CPU has. */
  readonly native: {
    /** False where there is no native code: {@link reason} says why, and the rest is empty. */
    readonly available: boolean;
    /** Why it is not available, and how to mend it. */
    readonly reason?: string;
    /** Version by library. */
    readonly libraries: Readonly<Record<string, string>>;
    readonly cpu: { readonly arch: string; readonly features: readonly string[] };
    /** Library and instructions by algorithm. */
    readonly algorithms: Readonly<Record<string, ServedAlgorithm>>;
    /**
     * The same for key derivation: `scrypt`, `argon2`, `bcrypt`, `hkdf`, and PBKDF2 over each hash,
     * as `pbkdf2-sha256`. Lanes are so many derivations of one kind that a core does at once.
     */
    readonly derivations: Readonly<Record<string, ServedAlgorithm>>;
  };
  /** The portable engine: JavaScript and WebAssembly. */
  readonly portable: {
    readonly available: boolean;
    /** Why it is not available. */
    readonly reason?: string;
    /** Version by library. */
    readonly libraries: Readonly<Record<string, string>>;
    /** Library by algorithm. */
    readonly algorithms: Readonly<Record<string, ServedAlgorithm>>;
  };
  /**
   * The Linux kernel. It is asked only where that is wanted, as it may load modules for the answer.
   */
  readonly kernel: {
    /** Whether it serves any algorithm; undefined while it was asked about none. */
    readonly available: boolean | undefined;
    /** Why it is not, or cannot be known. */
    readonly reason?: string;
    /**
     * The kernel's `af_alg_restrict`: what it refuses to programs without privileges; null where it
     * has no such setting.
     */
    readonly restriction: number | null;
    /** Where /dev/crypto is looked for. */
    readonly device: string;
    /** By algorithm, those it has been asked about. */
    readonly algorithms: Readonly<Record<string, KernelAlgorithm>>;
  };
  /** How often an engine was asked for in vain, and another one that was allowed served. */
  readonly fallbacks: readonly Fallback[];
  /**
   * Worker threads: the most there may be, those started (0 before the first asynchronous call that
   * does not run inline), and the jobs nobody has taken yet.
   */
  readonly threads: { readonly limit: number; readonly started: number; readonly queued: number };
  /** Predicted cost and routes by algorithm. */
  readonly costs: Readonly<Record<string, Cost>>;
  /** Bytes copied for asynchronous calls of this environment that have not settled. */
  readonly queuedBytes: number;
  /** Bytes that derivations have taken in this process, and how many derivations wait for some. */
  readonly kdf: { readonly memory: number; readonly waiting: number };
  /** As {@link configure} returns them. */
  readonly settings: Settings;
}

/** Options of {@link engines}. */
export interface EnginesOptions {
  /**
   * Engines to be asked about each algorithm now, though the answer has a cost: the kernel's may
   * load modules.
   */
  readonly probe?: readonly EngineName[] | undefined;
}

const takes: Accepted<keyof EnginesOptions> = accepted('engines', { probe: true });

/**
 * Reports which engine, library and CPU instructions serve each algorithm, or why an engine does
 * not and how to mend it, the state of the worker threads, predicted costs, and settings.
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE
 */
export function engines(wanted?: EnginesOptions): Engines {
  const { probe = [] } = options<EnginesOptions>(wanted, 'options', takes);
  if (isRevoked(probe) || !Array.isArray(probe))
    throw wrongType('options.probe', 'an array of names of engines', probe);
  const kernels: readonly unknown[] = ['kernel', 'af_alg', 'cryptodev'];
  const unknown = probe.find((name) => ![...kernels, 'native', 'portable'].includes(name));
  if (unknown !== undefined)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.probe: there is no engine ${typeof unknown === 'string' ? JSON.stringify((unknown as string).slice(0, 40)) : describe(unknown)}`,
    );
  return {
    native: {
      ...nothing,
      derivations: {},
      cpu: { arch: '', features: [] },
      ...reportOf('native'),
    } as Engines['native'],
    portable: { ...nothing, ...reportOf('portable') },
    kernel: kernel(probe.some((name) => kernels.includes(name))),
    fallbacks: fallbackList(),
    threads: {
      limit: native.threads(Threads.Limit),
      started: native.threads(Threads.Started),
      queued: native.threads(Threads.Queued),
    },
    costs: JSON.parse(native.costs()) as Engines['costs'],
    queuedBytes: native.copies(CopiedBytes.Now),
    kdf: {
      memory: native.derivationMemory(KdfMemory.Taken),
      waiting: native.derivationMemory(KdfMemory.Waiting),
    },
    settings: settings(),
  };
}

const nothing = { libraries: {}, algorithms: {} };

function reportOf(name: 'native' | 'portable'): Engines['portable'] {
  const engine = engineOf(name);
  if (!('binding' in engine)) return { available: false, reason: engine.message, ...nothing };
  return (JSON.parse(engine.binding.engines()) as Record<typeof name, Engines['portable']>)[name];
}

/** As native code reports it: by way, and for `kernel` what was chosen. */
interface KernelReport {
  readonly reason?: string;
  readonly restriction?: number | null;
  readonly device?: string;
  readonly af_alg?: Readonly<Record<string, KernelWay>>;
  readonly cryptodev?: Readonly<Record<string, KernelWay>>;
  readonly kernel?: Readonly<Record<string, Pick<KernelAlgorithm, 'way' | 'reason'>>>;
}

function kernel(probe: boolean): Engines['kernel'] {
  const engine = engineOf('kernel');
  const report: KernelReport =
    'binding' in engine
      ? (JSON.parse(engine.binding.kernelReport(Number(probe))) as KernelReport)
      : { reason: engine.message };
  const {
    reason,
    restriction = null,
    device = '',
    af_alg = {},
    cryptodev = {},
    kernel: chosen = {},
  } = report;
  const algorithms: Record<string, KernelAlgorithm> = {};
  const served: boolean[] = [];
  for (const name of Object.keys(chosen)) {
    const known: KernelAlgorithm = {
      ...chosen[name],
      af_alg: af_alg[name] ?? {},
      cryptodev: cryptodev[name] ?? {},
    };
    if (
      [known, known.af_alg, known.cryptodev].every(
        (each) => Object.keys(each).length <= (each === known ? 2 : 0),
      )
    )
      continue;
    algorithms[name] = known;
    served.push(
      known.way !== undefined ||
        known.af_alg.driver !== undefined ||
        known.cryptodev.driver !== undefined,
    );
  }
  const available =
    reason !== undefined ? false : served.length === 0 ? undefined : served.includes(true);
  if (reason !== undefined) return { available, reason, restriction, device, algorithms };
  if (available === undefined)
    return { available, reason: NOT_PROBED, restriction, device, algorithms };
  return { available, restriction, device, algorithms };
}

const NOT_PROBED =
  "not probed: engines({ probe: ['kernel'] }) asks it about every algorithm, which may load kernel modules";
