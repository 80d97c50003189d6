/**
 * The engines of this platform: in Node.js the native binary, and the portable engine where no
 * binary fits or on request.
 */
import type { Native } from '../base/frame.js';
import type { makePortable } from '../portable/binding.js';
import { environment, namedBinary, openBinary } from './binary.node.js';
import type { portableHost } from './portable.node.js';

/** An engine with its own binding. */
export type BindingName = 'native' | 'portable';

/** Opens an engine; throws if it is unavailable. */
export function openEngine(name: BindingName): Native {
  return name === 'native' ? openBinary() : openPortable();
}

/**
 * Opens the default engine: the binary, unless MILLRACE_ENGINE names another or none can be loaded.
 * An engine that MILLRACE_ENGINE names alone, and a file that MILLRACE_BINARY names, have no
 * fallback.
 */
export function openDefaultEngine(): { readonly name: BindingName; readonly binding: Native } {
  const asked = engineFromEnvironment();
  if (asked === 'portable') return { name: 'portable', binding: openPortable() };
  let missing: Error;
  try {
    return { name: 'native', binding: openBinary() };
  } catch (error) {
    missing = error as Error;
    if (asked === 'native' || namedBinary() !== undefined) throw missing;
  }
  let binding: Native;
  try {
    binding = openPortable();
  } catch {
    throw missing;
  }
  warn(
    `${missing.message}. The portable engine is used instead: slower, with the same results; ` +
      'MILLRACE_ENGINE=native makes this an error',
    'MILLRACE_NO_BINARY',
  );
  return { name: 'portable', binding };
}

/** Returns the order of preference in MILLRACE_ENGINE: names separated by commas. */
export function engineFromEnvironment(): string | undefined {
  return environment('MILLRACE_ENGINE');
}

/** Emits a process warning. */
export function warn(message: string, code: string): void {
  process.emitWarning(message, { type: 'MillraceWarning', code });
}

function openPortable(): Native {
  const { makePortable: make } = require('../portable/binding.js') as {
    makePortable: typeof makePortable;
  };
  const { portableHost: host } = require('./portable.node.js') as {
    portableHost: typeof portableHost;
  };
  return make(host);
}
