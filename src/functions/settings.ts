/** Process-wide settings. */
import { settingNames } from '../base/option-names.js';
import { options } from '../base/arguments.js';
import { between, unsigned } from '../base/numbers.js';
import { native } from '../engines/binding.js';
import { decideCopies } from '../scheduling/copies.js';
import {
  openBindings,
  setDefaultEngine,
  readDefaultEngine,
  defaultEngineNames,
} from '../engines/engines.js';
import { makeError, wrongType, refuseSurplus } from '../base/errors.js';
import { decideMemory } from '../kdf/memory.js';
import { accepted, type Accepted } from '../base/options.js';
import { refreshCosts } from '../scheduling/cost-model.js';
import { routeName, routeOf } from '../scheduling/routes.js';
import { CopiedBytes, KdfMemory, SecureMemory, Status, Threads } from '../base/protocol.js';
import type { SecureMemoryReport, Settings } from '../calls/reports.js';

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
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_ENGINE_UNAVAILABLE,
 *   ERR_SECURE_MEMORY
 */
export function configure(wanted?: Partial<Settings>): Settings {
  refuseSurplus(arguments, 1, 'configure([settings])');
  const given = options<Partial<Settings>>(wanted, 'settings', takes);
  // Check all settings before changing one.
  const { threads, route, maxQueuedBytes, recycle, maxKdfMemory, secureMemory, engine } = given;
  const preference =
    engine === undefined ? undefined : readDefaultEngine(engine, 'settings.engine');
  if (threads !== undefined) between(threads, 1, 1024, 'settings.threads');
  const defaultRoute = route === undefined ? undefined : routeOf(route, 'settings.route');
  checkBytes(maxQueuedBytes, 'settings.maxQueuedBytes');
  if (recycle !== undefined && typeof recycle !== 'boolean')
    throw wrongType('settings.recycle', 'a boolean', recycle);
  checkBytes(maxKdfMemory, 'settings.maxKdfMemory');
  if (secureMemory !== undefined) setSecureMemory(modeOf(secureMemory));
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

/** The values of the setting `secureMemory`, by {@link SecureMemory}. */
const modes = ['off', 'preferred', 'required'] as const;

function modeOf(value: unknown): SecureMemory {
  if (typeof value !== 'string') throw wrongType('settings.secureMemory', 'a string', value);
  const mode = modes.indexOf(value as (typeof modes)[number]);
  if (mode < 0) {
    throw makeError('ERR_ARGUMENT_VALUE', `settings.secureMemory must be ${modes.join(', ')}`);
  }
  return mode;
}

/** Sets the mode of all open engines, or of none. */
function setSecureMemory(mode: SecureMemory): void {
  const former = native.secureMemoryMode();
  for (const binding of openBindings()) {
    const set = binding.setSecureMemory(mode) === Status.Done;
    const { locked, reason } = parsedReport(binding.secureMemory());
    // An engine beside the base takes no key while memory must be locked, so it need not lock any.
    const mustLock = mode === SecureMemory.Required && binding === native;
    if (set && (locked || !mustLock)) continue;
    for (const each of openBindings()) each.setSecureMemory(former);
    throw makeError('ERR_SECURE_MEMORY', `keys cannot be kept in locked memory: ${reason}`);
  }
}

/** Returns what holds for the memory of prepared keys. */
export function secureMemoryReport(): SecureMemoryReport {
  return parsedReport(native.secureMemory());
}

function parsedReport(json: string): SecureMemoryReport {
  return JSON.parse(json) as SecureMemoryReport;
}

function checkBytes(value: unknown, name: string): void {
  if (value !== undefined && unsigned(value, name) < 1)
    throw makeError('ERR_ARGUMENT_VALUE', `${name} must be at least 1`);
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
    secureMemory: modes[native.secureMemoryMode()]!,
    engine: defaultEngineNames(),
  };
}
