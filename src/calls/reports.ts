/** The types of what engines() reports and configure() takes. */
import type { EngineName, Fallback } from '../engines/engines.js';
import type { RouteName } from '../scheduling/routes.js';

/** Settings of the process, shared by all its environments. */
export interface Settings {
  /**
   * The maximum number of worker threads, 1 to 1024. Default: the CPUs that the affinity mask and
   * cgroup quota allow.
   */
  readonly threads: number;
  /** The route of asynchronous calls without one. Default: `'auto'`. */
  readonly route: RouteName;
  /**
   * The most bytes that unsettled asynchronous calls of one environment may copy; 2^53 - 1 for no
   * limit. A call that would exceed it runs inline, which slows the caller down (back-pressure),
   * and settles later. Calls with a target, which copy nothing, calls with a route, those that wait
   * for others of the same hasher, cipher or recipient of HPKE, and `millrace/crypto-async` are
   * exempt. Default: a quarter of the memory, at most 1 GiB.
   */
  readonly maxQueuedBytes: number;
  /**
   * True if the memory of collected large results is reused; glibc then keeps up to 64 MiB of it.
   * Default: true. Set it to false before the first result of 128 KiB or more.
   */
  readonly recycle: boolean;
  /**
   * The most bytes that running scrypt, Argon2 and password verifications may use together; others
   * wait. One that needs more throws ERR_MEMORY_LIMIT. A synchronous call does not wait. Default: a
   * quarter of the memory, at most 1040 MiB, which suffices for scrypt with N = 2^20, r = 8, p = 1.
   */
  readonly maxKdfMemory: number;
  /**
   * How prepared keys are kept from now on. `'preferred'` (the default): in pages that are locked in
   * RAM, not in core dumps and empty in a forked child, as far as the system allows;
   * {@link Engines.secureMemory} reports what holds. `'required'`: so, or `configure` and the calls
   * that prepare keys throw ERR_SECURE_MEMORY. `'off'`: on the heap.
   */
  readonly secureMemory: 'off' | 'preferred' | 'required';
  /**
   * The engine of calls without one: an engine, several in order of preference, or `'auto'` (the
   * default): native code, or the portable engine if there is none. In Node.js the environment
   * variable MILLRACE_ENGINE sets the initial value, names separated by commas. Unlike the other
   * settings it applies to this environment only: each worker_thread has its own.
   */
  readonly engine: 'auto' | EngineName | readonly EngineName[];
}

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

/** What holds for the memory of prepared keys of the native engine, in this process. */
export interface SecureMemoryReport {
  /** True if all its pages are locked in RAM (mlock), so that none is written to swap. */
  readonly locked: boolean;
  /** True if each block lies between two pages that cannot be accessed. */
  readonly guarded: boolean;
  /** True if the pages are left out of core dumps. */
  readonly undumped: boolean;
  /** True if a forked child sees zeros in place of the keys. */
  readonly wipedOnFork: boolean;
  /** The bytes of prepared keys. */
  readonly used: number;
  /** The bytes of all blocks. */
  readonly committed: number;
  /** The reason that keys are not locked, and the remedy. */
  readonly reason?: string;
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
    /** The library of each algorithm of asymmetric keys, which `key.algorithm` names. */
    readonly publicKeys: Readonly<Record<string, Pick<Implementation, 'library' | 'with'>>>;
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
    /**
     * The same for asymmetric keys: a crate, or `WebCrypto` for those that only the platform's
     * WebCrypto serves, by asynchronous calls. An algorithm that is not there is not supported.
     */
    readonly publicKeys: Readonly<Record<string, Pick<Implementation, 'library' | 'with'>>>;
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
  /** The memory of prepared keys. */
  readonly secureMemory: SecureMemoryReport;
  /** The settings, as {@link configure} returns them. */
  readonly settings: Settings;
}

/** Options of {@link engines}. */
export interface EnginesOptions {
  /** Engines to probe for each algorithm. Probing the kernel may load kernel modules. */
  readonly probe?: readonly EngineName[] | undefined;
}
