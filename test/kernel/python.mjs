// Tests the guest itself with Python: its sockets and ioctls are independent of this library.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// The program that boots the guest passes the path of the interpreter.
const interpreter = process.env.PYTHON;

/** The reason to skip these tests, or false. */
export const pythonAbsent = interpreter ? false : 'not run: no python3 on this machine';

/** Runs a file of truth/ and returns `{ status, stdout, stderr }`. */
export function python(file, ...args) {
  return spawnSync(
    interpreter,
    ['-B', fileURLToPath(new URL(`truth/${file}`, import.meta.url)), ...args],
    { encoding: 'utf8', timeout: 300_000 },
  );
}

/** Binds an AF_ALG socket to an algorithm. Returns `ok`, or an errno's name. */
export function bound(kind, name) {
  return python('bind.py', kind, name).stdout.trim();
}
