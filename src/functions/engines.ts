/** Reports engines by algorithm, costs and the state of the workers. */
import { enginesOptionNames } from '../base/option-names.js';
import { options } from '../base/arguments.js';
import { native } from '../engines/binding.js';
import {
  engineName,
  engineOf,
  fallbackList,
  type EngineName,
  type Fallback,
} from '../engines/engines.js';
import { MillraceError, refuseSurplus, wrongType } from '../base/errors.js';
import { isRevoked } from '../base/intrinsics.js';
import { accepted, type Accepted } from '../base/options.js';
import { settings, type Settings } from './settings.js';
import { CopiedBytes, KdfMemory, Threads } from '../base/protocol.js';
import { provideReports } from '#platform/engines/parts.js';

provideReports();

/** The predicted cost of an algorithm on this machine, and its routes. Times are in nanoseconds. */
export interface Cost {
  /** The fixed cost of a message. */
  readonly fixed: number;
  /** The cost of a byte. */
  readonly perByte: number;
  /** The cost of a message in a batch, relative to its cost alone. Hashes only. */
  readonly batchFactor?: number;
  /** False if the cost is from a table. The first worker thread that runs a job measures it. */
  readonly measured: boolean;
  /** The largest message in bytes that runs inline while other jobs are in flight. */
  readonly inlineTo: number;
  /**
   * The smallest message in bytes that is split over all worker threads, if the algorithm allows.
   */
  readonly splitFrom?: number;
}

/** The code that computes an algorithm, or some of its messages. */
export interface Implementation {
  /** The library that does most of the work; `millrace` is Millrace's own code. */
  readonly library: string;
  /** Other libraries that do a part of it, such as the authentication beside the encryption. */
  readonly with?: readonly string[];
  /** The CPU instructions it uses. */
  readonly instructions: readonly string[];
  /** True if it uses cryptographic instructions or a device. */
  readonly hardware: boolean;
}

/**
 * How an engine in this process serves an algorithm. The fields of {@link Implementation} are those
 * for a message in one piece, for a long one if `short` names other code.
 */
export interface ServedAlgorithm extends Implementation {
  /**
   * What computes short messages, and the bytes of the longest, if it is another library than for
   * long ones. AES-GCM without a prepared key uses it up to 8 KiB.
   */
  readonly short?: Implementation & { readonly upTo: number };
  /**
   * What computes messages that are divided among worker threads or into steps, if other libraries.
   */
  readonly parts?: Implementation;
  /** What `createCipher` and `createDecipher` use, if other libraries. */
  readonly incremental?: Implementation;
  /**
   * The number of messages one core hashes at once, and with which instructions, where that is
   * faster. It is Millrace's own code.
   */
  readonly lanes?: { readonly messages: number; readonly instructions: readonly string[] };
}

/** How one interface of the kernel serves an algorithm; empty if it was not probed. */
export interface KernelInterface {
  /** The kernel's driver, if it names one. */
  readonly driver?: string;
  /** True if /dev/crypto reports a hardware driver. */
  readonly accelerator?: boolean;
  /** The longest message in bytes, if there is a limit. */
  readonly maxMessage?: number;
  /** The reason it does not serve, and the remedy. */
  readonly reason?: string;
}

/** How the kernel serves an algorithm. */
export interface KernelAlgorithm {
  /** The interface that `'kernel'` uses. */
  readonly interface?: 'af_alg' | 'cryptodev';
  /** The reason there is none, and the remedy. */
  readonly reason?: string;
  /** By AF_ALG. */
  readonly af_alg: KernelInterface;
  /** By /dev/crypto. */
  readonly cryptodev: KernelInterface;
}

/** How this machine serves each algorithm. */
export interface Engines {
  /** The native engine. */
  readonly native: {
    /**
     * False if there is no native code; {@link reason} says why, and the other fields are empty.
     */
    readonly available: boolean;
    /** The reason it is unavailable, and the remedy. */
    readonly reason?: string;
    /** The version of each library. */
    readonly libraries: Readonly<Record<string, string>>;
    readonly cpu: { readonly arch: string; readonly features: readonly string[] };
    /** The library and instructions of each algorithm. */
    readonly algorithms: Readonly<Record<string, ServedAlgorithm>>;
    /**
     * The same for key derivation: `scrypt`, `argon2`, `bcrypt`, `hkdf`, and PBKDF2 with each hash,
     * such as `pbkdf2-sha256`. Lanes are the derivations one core computes at once. HKDF has no
     * code of its own beyond that of its hash.
     */
    readonly derivations: Readonly<Record<string, ServedAlgorithm>>;
  };
  /** The portable engine: the core in WebAssembly. */
  readonly portable: {
    readonly available: boolean;
    /**
     * The form in which it runs: WebAssembly with vectors of 128 bits, or without, or JavaScript.
     */
    readonly runs?: 'wasm-simd' | 'wasm' | 'javascript';
    /** The reason it is unavailable, or runs as the second or the third. */
    readonly reason?: string;
    /** The version of each library. */
    readonly libraries: Readonly<Record<string, string>>;
    /**
     * The library of each algorithm. Large messages of asynchronous calls may be computed by the
     * platform's WebCrypto instead: AES-CTR, AES-GCM, SHA-1 and SHA-2, HMAC and PBKDF2 over them.
     */
    readonly algorithms: Readonly<Record<string, ServedAlgorithm>>;
    /** The library of each key derivation. */
    readonly derivations: Readonly<Record<string, ServedAlgorithm>>;
  };
  /** The Linux kernel. It is probed only on request, because probing may load kernel modules. */
  readonly kernel: {
    /** True if it serves any algorithm; undefined if it was not probed. */
    readonly available: boolean | undefined;
    /** The reason it is unavailable or unknown. */
    readonly reason?: string;
    /**
     * The kernel's `af_alg_restrict` setting, which limits unprivileged programs; null if there is
     * none.
     */
    readonly restriction: number | null;
    /** The path of the cryptodev device. */
    readonly device: string;
    /** The probed algorithms. */
    readonly algorithms: Readonly<Record<string, KernelAlgorithm>>;
  };
  /** The fallbacks so far. */
  readonly fallbacks: readonly Fallback[];
  /**
   * Worker threads: the limit, the number started (0 before the first asynchronous call that does
   * not run inline), and the number of queued jobs.
   */
  readonly threads: { readonly limit: number; readonly started: number; readonly queued: number };
  /** Predicted cost and routes by algorithm. */
  readonly costs: Readonly<Record<string, Cost>>;
  /** The bytes copied for asynchronous calls of this environment that have not settled. */
  readonly queuedBytes: number;
  /**
   * The bytes that derivations use in this process, and the number of derivations that wait for
   * memory.
   */
  readonly kdf: { readonly memory: number; readonly waiting: number };
  /** The settings, as {@link configure} returns them. */
  readonly settings: Settings;
}

/** Options of {@link engines}. */
export interface EnginesOptions {
  /** Engines to probe for each algorithm. Probing the kernel may load kernel modules. */
  readonly probe?: readonly EngineName[] | undefined;
}

const takes: Accepted<keyof EnginesOptions> = accepted('engines', enginesOptionNames);

/**
 * Reports the engine, library and CPU instructions of each algorithm, the reason and remedy if an
 * engine is unavailable, worker threads, predicted costs and settings.
 *
 * @example
 * ```js
 * import { engines } from 'millrace';
 *
 * const { native } = engines();
 * console.log(native.algorithms.sha256);
 * ```
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE
 */
export function engines(wanted?: EnginesOptions): Engines {
  refuseSurplus(arguments, 1, 'engines');
  const { probe = [] } = options<EnginesOptions>(wanted, 'options', takes);
  if (isRevoked(probe) || !Array.isArray(probe))
    throw wrongType('options.probe', 'an array of names of engines', probe);
  const kernels: readonly unknown[] = ['kernel', 'af_alg', 'cryptodev'];
  probe.forEach((name, index) => engineName(name, `options.probe[${index}]`, false));
  return {
    native: {
      ...nothing,
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

const nothing = { libraries: {}, algorithms: {}, derivations: {} };

function reportOf(name: 'native' | 'portable'): Engines['portable'] {
  const engine = engineOf(name);
  if (engine instanceof MillraceError)
    return { available: false, reason: engine.message, ...nothing };
  return (JSON.parse(engine.binding.engines()) as Record<typeof name, Engines['portable']>)[name];
}

/** As native code reports it: by interface, and for `kernel` the chosen one. */
interface KernelReport {
  readonly reason?: string;
  readonly restriction?: number | null;
  readonly device?: string;
  readonly af_alg?: Readonly<Record<string, KernelInterface>>;
  readonly cryptodev?: Readonly<Record<string, KernelInterface>>;
  readonly kernel?: Readonly<Record<string, Pick<KernelAlgorithm, 'interface' | 'reason'>>>;
}

function kernel(probe: boolean): Engines['kernel'] {
  const engine = engineOf('kernel');
  const report: KernelReport =
    engine instanceof MillraceError
      ? ({ __proto__: null, reason: engine.message } as KernelReport)
      : parsed<KernelReport>(engine.binding.kernelReport(Number(probe)));
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
      af_alg: (Object.hasOwn(af_alg, name) && af_alg[name]) || {},
      cryptodev: (Object.hasOwn(cryptodev, name) && cryptodev[name]) || {},
    };
    if (
      [known, known.af_alg, known.cryptodev].every(
        (each) => Object.keys(each).length <= (each === known ? 2 : 0),
      )
    )
      continue;
    algorithms[name] = known;
    served.push(
      Object.hasOwn(known, 'interface') ||
        Object.hasOwn(known.af_alg, 'driver') ||
        Object.hasOwn(known.cryptodev, 'driver'),
    );
  }
  const available =
    reason !== undefined ? false : served.length === 0 ? undefined : served.includes(true);
  if (reason !== undefined) return { available, reason, restriction, device, algorithms };
  if (available === undefined)
    return { available, reason: NOT_PROBED, restriction, device, algorithms };
  return { available, restriction, device, algorithms };
}

/** Returns the object of a text, without a prototype. */
function parsed<T extends object>(json: string): T {
  return { ...(JSON.parse(json) as T), __proto__: null };
}

const NOT_PROBED =
  "not probed: engines({ probe: ['kernel'] }) probes every algorithm, " +
  'which may load kernel modules';
