// Runs programs in separate processes in a guest, where the engine has not been used yet and the
// rights may be restricted.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { requiring, root } from '../support/child.mjs';

/**
 * An ordinary user with one capability of root: to read the files of a checkout below a folder of
 * mode 0700. It does not allow opening a device for writing. Without no_setuid_fixup, access(2) and
 * so `existsSync` would ignore it.
 */
const unprivileged = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--securebits=+no_setuid_fixup',
  '--inh-caps=-all,+dac_read_search',
  '--ambient-caps=-all,+dac_read_search',
];

/** The commands that restrict the rights of the command after them. */
export const ways = {
  root: [],
  unprivileged,
  /** A seccomp filter refuses the sockets, as in containers. */
  filtered: [
    process.env.PYTHON || 'python3',
    '-B',
    fileURLToPath(new URL('filtered.py', import.meta.url)),
  ],
  /** The limit of open files is low. */
  short: ['/bin/sh', '-c', 'ulimit -n 64; exec "$0" "$@"'],
};

/**
 * Runs the body of an async function that can use `millrace`, `promises`, `assert`, `errorOf(call)`
 * and `digest(engine, algorithm)`, a digest of 'abc' as text. `result` is the value that it returns;
 * `warnings` are the codes and messages of the process's warnings.
 */
export async function perform(body, way = ways.root) {
  const program = `
    ${requiring()};
    const assert = require('node:assert/strict');
    const digest = (engine, algorithm = 'sha256') =>
      millrace.hash(algorithm, 'abc', { engine, encoding: 'hex' });
    const warnings = [];
    process.on('warning', ({ code, message }) => warnings.push({ code, message }));
    const errorOf = async (call) => {
      try {
        await call();
      } catch ({ code, message }) {
        return { code, message };
      }
      throw new Error('no error');
    };
    (async () => {
      ${body};
    })().then((result) =>
      setImmediate(() =>
        setImmediate(() => process.stdout.write(JSON.stringify({ result, warnings }))),
      ),
    );`;
  const [command, ...args] = [...way, process.execPath, '--expose-gc', '-e', program];
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: root,
    timeout: 300_000,
    killSignal: 'SIGKILL',
    env: { ...process.env, NODE_NO_WARNINGS: '1', NODE_TEST_CONTEXT: undefined },
  });
  return JSON.parse(stdout);
}
