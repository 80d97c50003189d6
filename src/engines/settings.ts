/**
 * What can be set.
 */
import { options, unsigned } from '../request/arguments.js';
import { native } from './binding.js';
import { decideCopies } from '../scheduling/copies.js';
import {
  openBindings,
  setDefaultEngine,
  readDefaultEngine,
  defaultEngineNames,
  type EngineName,
} from './engines.js';
import { makeError, wrongType } from '../request/errors.js';
import { decideMemory } from '../kdf/memory.js';
import { accepted, type Accepted } from '../request/options.js';
import { refreshCosts } from '../scheduling/cost-model.js';
import { routeName, routeOf, type RouteName } from '../scheduling/routes.js';
import { CopiedBytes, KdfMemory, Threads } from '../request/protocol.js';

/** Settings of the process, shared by all its environments. */
export interface Settings {
  /**
   * The most worker threads there may be, 1 to 1024. Default: as many as the CPU mask and cgroup
   * quota allow.
   */
  readonly threads: number;
  /** The route of asynchronous calls that ask for none. Default: `'auto'`. */
  readonly route: RouteName;
  /**
   * The most bytes that asynchronous calls of one environment may have copied and not settled; 2^53
   * - 1 for no limit. A call that would copy more does its work during the call instead, and so
   * slows down who makes it; it settles later all the same. Not concerned are calls with a target,
   * which copy nothing, calls that ask for a route, and `millrace/crypto-async`. Default: a quarter
   * of the memory there is, 1 GiB at most.
   */
  readonly maxQueuedBytes: number;
  /**
   * Whether the memory of large results is used again when they have been collected; glibc is then
   * told to keep up to 64 MiB of it. Default: true. False has an effect before the first result of
   * 128 KiB or more only.
   */
  readonly recycle: boolean;
  /**
   * The most bytes that scrypt, Argon2 and verified passwords may take together while they are
   * worked on; those for which there is no room wait. One that needs more is refused with
   * ERR_MEMORY_LIMIT. A synchronous call takes its memory at once. Default: a quarter of the memory
   * there is, 1040 MiB at most: room for a scrypt of N = 2^20, r = 8, p = 1.
   */
  readonly maxKdfMemory: number;
  /**
   * Who computes where a call does not say: an engine, several in order of preference, or `'auto'`
   * (the default): native code, or the portable engine where there is none. In Node.js the
   * environment variable MILLRACE_ENGINE sets what it is at the start, names separated by commas.
   * Unlike the other settings it is of this environment only: each worker_thread has its own.
   */
  readonly engine: 'auto' | EngineName | readonly EngineName[];
}

const takes: Accepted<keyof Settings> = accepted('configure', {
  threads: true,
  route: true,
  maxQueuedBytes: true,
  recycle: true,
  maxKdfMemory: true,
  engine: true,
});

/**
 * Changes settings for the whole process and returns all of them. Without an argument it only
 * returns them.
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_ENGINE_UNAVAILABLE
 */
export function configure(wanted?: Partial<Settings>): Settings {
  const given = options<Partial<Settings>>(wanted, 'settings', takes);
  // All are looked at before one is changed.
  const { threads, route, maxQueuedBytes, recycle, maxKdfMemory, engine } = given;
  const choice = engine === undefined ? undefined : readDefaultEngine(engine, 'settings.engine');
  if (threads !== undefined && (unsigned(threads, 'settings.threads') < 1 || threads > 1024)) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `settings.threads must be between 1 and 1024, not ${threads}`,
    );
  }
  const usual = route === undefined ? undefined : routeOf(route, 'settings.route');
  if (maxQueuedBytes !== undefined && unsigned(maxQueuedBytes, 'settings.maxQueuedBytes') < 1) {
    throw makeError('ERR_ARGUMENT_VALUE', 'settings.maxQueuedBytes must be at least 1');
  }
  if (recycle !== undefined && typeof recycle !== 'boolean')
    throw wrongType('settings.recycle', 'a boolean', recycle);
  if (maxKdfMemory !== undefined && unsigned(maxKdfMemory, 'settings.maxKdfMemory') < 1) {
    throw makeError('ERR_ARGUMENT_VALUE', 'settings.maxKdfMemory must be at least 1');
  }
  for (const binding of openBindings()) {
    if (threads !== undefined) binding.setThreads(threads);
    if (recycle !== undefined) binding.setRecycling(Number(recycle));
    if (usual !== undefined) binding.setDefaultRoute(usual);
    if (maxQueuedBytes !== undefined) binding.setCopies(maxQueuedBytes);
    if (maxKdfMemory !== undefined) binding.setDerivationMemory(maxKdfMemory);
  }
  if (choice !== undefined) setDefaultEngine(choice);
  refreshCosts();
  return settings();
}

/** As they are. */
export function settings(): Settings {
  if (native.copies(CopiedBytes.Limit) === 0) decideCopies(native);
  decideMemory();
  return {
    threads: native.threads(Threads.Limit),
    route: routeName(native.defaultRoute()),
    maxQueuedBytes: native.copies(CopiedBytes.Limit),
    recycle: native.recycles() === 1,
    maxKdfMemory: native.derivationMemory(KdfMemory.Limit),
    engine: defaultEngineNames(),
  };
}
