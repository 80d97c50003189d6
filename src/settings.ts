/**
 * What serves what, and what can be set.
 */
import { options, unsigned } from './arguments.js';
import { native } from './binding.js';
import { makeError, wrongType } from './errors.js';

/** Settings of the process, shared by all its environments. */
export interface Settings {
  /** The most worker threads there may be, 1 to 1024. Default: as many as the CPU mask and cgroup quota allow. */
  readonly threads: number;
  /**
   * Whether the memory of large results is kept when they have been collected, and used again; it matters with glibc, which is
   * then told to keep up to 64 MiB of it. Default: true. False has an effect before the first result of 128 KiB or more only.
   */
  readonly recycle: boolean;
}

/** What serves each algorithm on this machine. */
export interface Engines {
  /** The native engine: libraries compiled in, with the instructions this CPU has. */
  readonly native: {
    readonly available: boolean;
    /** Version by library. */
    readonly libraries: Readonly<Record<string, string>>;
    readonly cpu: { readonly arch: string; readonly features: readonly string[] };
    /** Library and instructions by algorithm. */
    readonly algorithms: Readonly<Record<string, {
      readonly library: string;
      readonly instructions: readonly string[];
      /** How many messages one core hashes at once, and with which instructions, where that is quicker than one by one. */
      readonly lanes?: { readonly messages: number; readonly instructions: readonly string[] };
    }>>;
  };
  /** Worker threads: the most there may be, those started (0 before the first asynchronous call that does not run inline), and the jobs nobody has taken yet. */
  readonly threads: { readonly limit: number; readonly started: number; readonly queued: number };
  /** Predicted cost and routes by algorithm. */
  readonly costs: Readonly<Record<string, Cost>>;
  /** Bytes copied for asynchronous calls of this environment that have not settled. */
  readonly queuedBytes: number;
  /** As {@link configure} returns them. */
  readonly settings: Settings;
}

/** Reports which engine, library and CPU instructions serve each algorithm, the state of the worker threads, predicted costs, and settings. */
export function engines(): Engines {
  const report = JSON.parse(native.engines()) as Pick<Engines, 'native'>;
  return {
    ...report,
    threads: { limit: native.threads(0), started: native.threads(1), queued: native.threads(2) },
    costs: JSON.parse(native.costs()) as Engines['costs'],
    queuedBytes: native.copies(1),
    settings: settings(),
  };
}

const known: readonly string[] = ['threads', 'route', 'maxQueuedBytes'] satisfies (keyof Settings)[];

/**
 * Changes settings for the whole process and returns all of them. Without an argument it only returns them.
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
 */
export function configure(settings?: Partial<Settings>): Settings {
  const given = options<Partial<Settings>>(settings, 'settings');
  const unknown = Object.keys(given).find((name) => name !== 'threads' && name !== 'recycle');
  if (unknown !== undefined) throw makeError('ERR_ARGUMENT_VALUE', `settings: there is no setting ${JSON.stringify(unknown.slice(0, 40))}; known: threads, recycle`);
  if (given.threads !== undefined) {
    const threads = unsigned(given.threads, 'settings.threads');
    if (threads < 1 || threads > 1024) throw makeError('ERR_ARGUMENT_VALUE', `settings.threads must be between 1 and 1024, not ${threads}`);
    native.setThreads(threads);
  }
  const { recycle } = given;
  if (recycle !== undefined) {
    if (typeof recycle !== 'boolean') throw wrongType('settings.recycle', 'a boolean', recycle);
    native.setRecycling(Number(recycle));
  }
  return { threads: native.threads(0), recycle: native.recycles() === 1 };
}
