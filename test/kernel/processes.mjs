// Runs programs in separate processes in a guest, where the engine has not been used yet and the
// rights may be restricted.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
 * Runs the body of an async function that can use `millrace`, `promises`, `assert`, `oracle(...)`
 * of node:crypto and `errorOf(call)`. `result` is the value that it returns; `warnings` are the
 * codes and messages of the process's warnings.
 */
export function perform(body, { way = ways.root, timeout = 300_000, env = {} } = {}) {
  const program = `
    ${requiring()};
    const assert = require('node:assert/strict');
    const crypto = require('node:crypto');
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
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      timeout,
      killSignal: 'SIGKILL',
      env: { ...process.env, NODE_NO_WARNINGS: '1', NODE_TEST_CONTEXT: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (chunk) => (text[name] += chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0 && text.stdout !== '') resolve(JSON.parse(text.stdout));
      else
        reject(
          new Error(`the program ended with ${code ?? signal}:\n${text.stdout}\n${text.stderr}`),
        );
    });
  });
}
