/** Process-wide settings. */
import { settingNames } from '../base/option-names.js';
import { options, unsigned } from '../base/arguments.js';
import { native } from '../engines/binding.js';
import { decideCopies } from '../scheduling/copies.js';
import {
  openBindings,
  setDefaultEngine,
  readDefaultEngine,
  defaultEngineNames,
  type EngineName,
} from '../engines/engines.js';
import { makeError, wrongType, refuseSurplus } from '../base/errors.js';
import { decideMemory } from '../kdf/memory.js';
import { accepted, type Accepted } from '../base/options.js';
import { refreshCosts } from '../scheduling/cost-model.js';
import { routeName, routeOf, type RouteName } from '../scheduling/routes.js';
import { CopiedBytes, KdfMemory, Threads } from '../base/protocol.js';

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
   * and settles later. Calls with a target, which copy nothing, calls with a route, and
   * `millrace/crypto-async` are exempt. Default: a quarter of the memory, at most 1 GiB.
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
   * The engine of calls without one: an engine, several in order of preference, or `'auto'` (the
   * default): native code, or the portable engine if there is none. In Node.js the environment
   * variable MILLRACE_ENGINE sets the initial value, names separated by commas. Unlike the other
   * settings it applies to this environment only: each worker_thread has its own.
   */
  readonly engine: 'auto' | EngineName | readonly EngineName[];
}

const takes: Accepted<keyof Settings> = accepted('configure', settingNames);

/**
 * Changes settings for the whole process and returns all of them. Without an argument it only
 * returns them.
 *
 * @example
 * ```js
 * import { configure } from 'millrace';
 *
 * configure({ threads: 4 });
 * // Without an argument it returns all settings.
 * console.log(configure());
 * ```
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_ENGINE_UNAVAILABLE
 */
export function configure(wanted?: Partial<Settings>): Settings {
  refuseSurplus(arguments, 1, 'configure');
  const given = options<Partial<Settings>>(wanted, 'settings', takes);
  // Check all settings before changing one.
  const { threads, route, maxQueuedBytes, recycle, maxKdfMemory, engine } = given;
  const preference =
    engine === undefined ? undefined : readDefaultEngine(engine, 'settings.engine');
  if (threads !== undefined && (unsigned(threads, 'settings.threads') < 1 || threads > 1024)) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `settings.threads must be between 1 and 1024, not ${threads}`,
    );
  }
  const defaultRoute = route === undefined ? undefined : routeOf(route, 'settings.route');
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
    if (defaultRoute !== undefined) binding.setDefaultRoute(defaultRoute);
    if (maxQueuedBytes !== undefined) binding.setCopies(maxQueuedBytes);
    if (maxKdfMemory !== undefined) binding.setDerivationMemory(maxKdfMemory);
  }
  if (preference !== undefined) setDefaultEngine(preference);
  refreshCosts();
  return settings();
}

/** Returns the current settings. */
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
