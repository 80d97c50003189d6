/**
 * The engines of this platform: in Node.js the native binary, and the portable engine where no binary fits or it is asked for.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeError } from '../errors.js';
import type { Native } from '../frame.js';
import type { makePortable } from '../portable/binding.js';
import type { portableHost } from './node-portable.js';

/** An engine that other engines may be beside. */
export type BindingName = 'native' | 'portable';

/** Opens an engine; throws if it is not there. */
export function openEngine(name: BindingName): Native {
  return name === 'native' ? openBinary() : openPortable();
}

/** The engine of calls that ask for none: the binary, unless MILLRACE_ENGINE says otherwise or none fits. What it names alone is not replaced. */
export function openUsual(): { readonly name: BindingName; readonly binding: Native } {
  const asked = askedOfEnvironment();
  if (asked === 'portable') return { name: 'portable', binding: openPortable() };
  let missing: Error;
  try {
    return { name: 'native', binding: openBinary() };
  } catch (error) {
    missing = error as Error;
    if (asked === 'native') throw missing;
  }
  try {
    const binding = openPortable();
    warn(`${missing.message}. The portable engine serves instead: slower, with the same results`, 'MILLRACE_NO_BINARY');
    return { name: 'portable', binding };
  } catch {
    throw missing;
  }
}

/** The order of preference that the environment asks for, names separated by commas. */
export function askedOfEnvironment(): string | undefined {
  try {
    return process.env['MILLRACE_ENGINE'];
  } catch {
    // Deno shows variables only to who has `--allow-env`.
    return undefined;
  }
}

/** Tells people of something that is no error. */
export function warn(message: string, code: string): void {
  process.emitWarning(message, { type: 'MillraceWarning', code });
}

function openPortable(): Native {
  const { makePortable: make } = require('../portable/binding.js') as { makePortable: typeof makePortable };
  const { portableHost: host } = require('./node-portable.js') as { portableHost: typeof portableHost };
  return make(host);
}

function openBinary(): Native {
  const platform = `${process.platform}-${process.arch}`;
  // Which C library Linux has is found out by trying: asking Node for it (process.report) costs more
  // than loading the binary does.
  const names = process.platform === 'linux' ? [`${platform}-gnu`, `${platform}-musl`] : [platform];
  const reasons: string[] = [];
  for (const name of names) {
    try {
      const built = join(__dirname, '..', '..', 'native', `millrace.${name}.node`);
      return load(existsSync(built) ? built : require.resolve(`@millrace/${name}`));
    } catch (error) {
      reasons.push(`${name}: ${String((error as Error).message).split('\n')[0]}`);
    }
  }
  throw makeError(
    'ERR_NO_BINARY',
    `millrace has no native binary for ${platform}. In a checkout run "npm run build"; in a project make sure ` +
      `optional dependencies are installed (npm install --include=optional). Tried ${reasons.join('; ')}`,
  );
}

/**
 * Opens the binary anew for each copy of this module, where `require` would hand the same exports to
 * all: a test runner that evaluates modules afresh for each file gets a frame and a ring for each.
 */
function load(path: string): Native {
  const fresh = { exports: {} };
  process.dlopen(fresh, path);
  return fresh.exports as Native;
}
