/** Reports engines by algorithm, costs and the state of the workers. */
import { enginesOptionNames } from '../base/option-names.js';
import { options } from '../base/arguments.js';
import { native } from '../engines/binding.js';
import { engineName, engineOf, fallbackList } from '../engines/engines.js';
import { MillraceError, refuseSurplus, wrongType } from '../base/errors.js';
import { isRevoked } from '../base/intrinsics.js';
import { accepted, type Accepted } from '../base/options.js';
import { algorithmNames, type PublicKeyAlgorithmName } from '../public-keys/algorithm-names.js';
import { secureMemoryReport, settings } from './settings.js';
import { CopiedBytes, KdfMemory, Threads } from '../base/protocol.js';
import { provideReports } from '#platform/engines/parts.js';
import type {
  KernelInterface,
  KernelAlgorithm,
  Engines,
  EnginesOptions,
} from '../calls/reports.js';

provideReports();

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
  refuseSurplus(arguments, 1, 'engines([options])');
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
    secureMemory: secureMemoryReport(),
    settings: settings(),
  };
}

const nothing = { libraries: {}, algorithms: {}, derivations: {}, publicKeys: {} };

/** The crates of asymmetric keys in WebAssembly; a test compares their versions with Cargo.lock. */
const keyCrates = {
  'curve25519-dalek': '5.0',
  'ed25519-dalek': '3.0',
  'ml-dsa': '0.1',
  'ml-kem': '0.3',
  p256: '0.14',
};

/** What computes with asymmetric keys in the portable engine, which has no X-Wing. */
const keyLibraries: Readonly<
  Record<Exclude<PublicKeyAlgorithmName, 'x-wing'>, keyof typeof keyCrates | 'WebCrypto'>
> = {
  ed25519: 'ed25519-dalek',
  x25519: 'curve25519-dalek',
  'p-256': 'p256',
  'p-384': 'WebCrypto',
  'p-521': 'WebCrypto',
  rsa: 'WebCrypto',
  'rsa-pss': 'WebCrypto',
  'ml-kem-512': 'ml-kem',
  'ml-kem-768': 'ml-kem',
  'ml-kem-1024': 'ml-kem',
  'ml-dsa-44': 'ml-dsa',
  'ml-dsa-65': 'ml-dsa',
  'ml-dsa-87': 'ml-dsa',
};

function reportOf(name: 'native' | 'portable'): Engines['portable'] {
  const engine = engineOf(name);
  if (engine instanceof MillraceError)
    return { available: false, reason: engine.message, ...nothing };
  const report = (JSON.parse(engine.binding.engines()) as Record<typeof name, Engines['portable']>)[
    name
  ];
  if (!report.available) return { ...nothing, ...report };
  const isNative = name === 'native';
  const libraries = isNative ? report.libraries : { ...report.libraries, ...keyCrates };
  const served = isNative
    ? algorithmNames.map((key) => [
        key,
        key === 'x-wing' ? { library: 'AWS-LC', with: ['millrace'] } : { library: 'AWS-LC' },
      ])
    : Object.entries(keyLibraries).map(([key, library]) => [key, { library }]);
  return {
    ...report,
    libraries,
    publicKeys: Object.fromEntries(served) as typeof report.publicKeys,
  };
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
  let served = false;
  for (const [name, choice] of Object.entries(chosen)) {
    const known: KernelAlgorithm = {
      ...choice,
      af_alg: (Object.hasOwn(af_alg, name) && af_alg[name]) || {},
      cryptodev: (Object.hasOwn(cryptodev, name) && cryptodev[name]) || {},
    };
    const interfaces = [known.af_alg, known.cryptodev];
    if ([choice, ...interfaces].every((each) => Object.keys(each).length === 0)) continue;
    algorithms[name] = known;
    served ||=
      Object.hasOwn(choice, 'interface') ||
      interfaces.some((each) => Object.hasOwn(each, 'driver'));
  }
  const rest = { restriction, device, algorithms };
  if (reason !== undefined) return { available: false, reason, ...rest };
  if (Object.keys(algorithms).length === 0)
    return { available: undefined, reason: NOT_PROBED, ...rest };
  return { available: served, ...rest };
}

/** Returns the object of a text, without a prototype. */
function parsed<T extends object>(json: string): T {
  return { ...(JSON.parse(json) as T), __proto__: null };
}

const NOT_PROBED =
  "not probed: engines({ probe: ['kernel'] }) probes every algorithm, " +
  'which may load kernel modules';
