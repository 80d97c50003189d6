/**
 * The engine of this platform: in Node.js the native binary, found and opened. Where there is none for it the portable engine serves,
 * which is said once; MILLRACE_ENGINE in the environment, `native` or `portable`, names the only one to be taken.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeError } from '../errors.js';
import type { Native } from '../frame.js';

/** Opens the usual engine. */
export function openEngine(): Native {
  const wanted = process.env['MILLRACE_ENGINE'];
  if (wanted === 'portable') return openPortable();
  try {
    return openNative();
  } catch (error) {
    if (wanted === 'native') throw error;
    const engine = openPortable();
    process.emitWarning(`${(error as Error).message}. What JavaScript can do is done by the portable engine, which is slower`, { code: 'MILLRACE_NO_BINARY' });
    return engine;
  }
}

/** A portable engine of its own. It is loaded when it is first wanted. */
export function openPortable(): Native {
  const { makePortable } = require('../portable/binding.js') as typeof import('../portable/binding.js');
  const { portableHost } = require('./node-portable.js') as typeof import('./node-portable.js');
  return makePortable(portableHost);
}

/** Opens the binary of this platform. */
export function openNative(): Native {
  const platform = `${process.platform}-${process.arch}`;
  // Which C library Linux has is found out by trying: asking Node for it (process.report) costs more
  // than loading the binary does.
  const names = process.platform === 'linux' ? [`${platform}-gnu`, `${platform}-musl`] : [platform];
  const reasons: string[] = [];
  for (const name of names) {
    try {
      const built = join(__dirname, '..', '..', 'native', `millrace.${name}.node`);
      return open(existsSync(built) ? built : require.resolve(`@millrace/${name}`));
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
function open(path: string): Native {
  const fresh = { exports: {} };
  process.dlopen(fresh, path);
  return fresh.exports as Native;
}
