// The judge of the guest itself: Python, whose sockets and ioctls know nothing of this library.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Where the interpreter of this machine is, is said by what boots the guest.
const interpreter = process.env.PYTHON;

/** For `skip`: why there is no judge. */
export const pythonAbsent = interpreter ? false : 'not run: no python3 on this machine';

/** Runs a file of truth/; gives `{ status, stdout, stderr }`. */
export function python(file, ...args) {
  return spawnSync(
    interpreter,
    ['-B', fileURLToPath(new URL(`truth/${file}`, import.meta.url)), ...args],
    { encoding: 'utf8', timeout: 60_000 },
  );
}

/** What becomes of a socket of AF_ALG that is bound to this: `ok`, or an errno's name. */
export function bound(kind, name) {
  return python('bind.py', kind, name).stdout.trim();
}
