/**
 * The native binary: found, opened, and given the memory it shares with the front.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeError } from './errors.js';
import { desk, frame, ringBytes, type Native } from './frame.js';

/** The binary of this platform. */
export const native: Native = load();

let settleArrived: (records: number) => void = () => {};

/** Names the function that settles finished jobs; it is called on the event loop. */
export function onSettle(settle: (records: number) => void): void {
  settleArrived = settle;
}

native.attach(frame, ringBytes, (records) => settleArrived(records), desk);

function load(): Native {
  const platform = `${process.platform}-${process.arch}`;
  // Which C library Linux has is found out by trying: asking Node for it (process.report) costs more
  // than loading the binary does.
  const names = process.platform === 'linux' ? [`${platform}-gnu`, `${platform}-musl`] : [platform];
  const reasons: string[] = [];
  for (const name of names) {
    try {
      const built = join(__dirname, '..', 'native', `millrace.${name}.node`);
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
