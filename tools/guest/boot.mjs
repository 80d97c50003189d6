// A guest: a Linux kernel of its own, whose root is this machine's, read-only. In it a job has what
// a test of the kernel's cryptography needs: the right to load modules, to refuse them and to make
// devices. The programs are those of this machine, the addon and Node among them.
//
// A kind of guest (uml.mjs, qemu.mjs) says how its kernel is started, what comes before and after
// the job in its first process, and where its modules are. All else is the same: a folder shared
// with the guest, writable from both sides, in which the output and the exit code come back.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { Stop, root } from '../steps.mjs';
import { prepareQemu } from './qemu.mjs';
import { prepareUml } from './uml.mjs';

const kinds = { uml: prepareUml, qemu: prepareQemu };

/**
 * The first guest that can be had, or the one of that name: `uml`, `qemu`, `qemu:sid`. Throws Stop
 * with one line that says why there is none.
 */
export async function findGuest(name) {
  const [kind, suite] = (name ?? '').split(':');
  if (name !== undefined && !Object.hasOwn(kinds, kind))
    throw new Stop(`there is no guest ${name}: ${Object.keys(kinds).join(' or ')}`);
  const reasons = [];
  for (const prepare of name === undefined ? Object.values(kinds) : [kinds[kind]]) {
    try {
      return await prepare(suite);
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      reasons.push(error.message);
    }
  }
  throw new Stop(reasons.join('; '));
}

/**
 * Boots a guest, runs a job in it as root, and takes everything away again.
 *
 * @param job a shell script, run in the root of this checkout. `$shared` is a folder to leave files
 * in, `$busybox` has every other tool
 * @param options
 *   blocked   names of modules whose loading fails, as an administrator's `install NAME /bin/false`
 *   does environment   more variables for the job
 *   memory    in MiB
 *   limit     in ms, for everything: a guest that hangs is ended; 10 minutes, or what the guest
 *   says collect   names of files in the shared folder to give back
 * @returns `{ code, output, console, files, ms }`: the job's exit code (undefined if it did not end
 * within the limit), what it wrote, what the kernel wrote
 */
export async function boot(
  guest,
  job,
  {
    blocked = [],
    environment = {},
    memory = 1024,
    limit = guest.limit ?? 600_000,
    collect = [],
  } = {},
) {
  const shared = mkdtempSync(join(realpathSync(tmpdir()), 'millrace-guest-'));
  const begin = performance.now();
  try {
    const init = writeInit(guest, job, { shared, blocked, environment, limit });
    const told = await runKernel(guest, { shared, init, memory, limit });
    const text = (name) =>
      existsSync(join(shared, name)) ? readFileSync(join(shared, name), 'utf8') : '';
    return {
      code: text('exit') === '' ? undefined : Number(text('exit')),
      output: text('output'),
      console: told,
      files: Object.fromEntries(collect.map((name) => [name, text(name)])),
      ms: performance.now() - begin,
    };
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
}

function writeInit(guest, job, { shared, blocked, environment, limit }) {
  const { busybox, modprobe, modules } = guest.tools;
  const script = (name, text) => {
    writeFileSync(join(shared, name), `#!/bin/sh\n${text.trim()}\n`);
    chmodSync(join(shared, name), 0o755);
    return join(shared, name);
  };
  mkdirSync(join(shared, 'modprobe.d'));
  writeFileSync(
    join(shared, 'modprobe.d', 'blocked.conf'),
    blocked.map((name) => `install ${name} /bin/false\n`).join(''),
  );
  const loader = script(
    'modprobe',
    `exec ${quote(modprobe)} -C ${quote(join(shared, 'modprobe.d'))} -d ${quote(modules)} "$@"`,
  );
  const variables = {
    PATH: [
      ...new Set([
        dirname(process.execPath),
        '/usr/local/bin',
        '/usr/bin',
        '/bin',
        '/usr/sbin',
        '/sbin',
      ]),
    ].join(':'),
    HOME: '/dev/shm',
    TMPDIR: '/dev/shm',
    LC_ALL: 'C.UTF-8',
    shared,
    busybox,
    modprobe: loader,
    ...environment,
  };
  script(
    'job',
    `${Object.entries(variables)
      .map(([name, value]) => `export ${name}=${quote(value)}`)
      .join('\n')}\ncd ${quote(root)} || exit 1\n${job}`,
  );
  return script(
    'init',
    `
busybox=${quote(busybox)}
${guest.prologue({ shared })}
echo ${loader} > /proc/sys/kernel/modprobe
# If the outer process is gone, end the guest.
{ $busybox sleep ${Math.ceil(limit / 1000) + 30}; $busybox poweroff -f; } &
$busybox ifconfig lo 127.0.0.1 up
/bin/sh ${shared}/job > ${shared}/output 2>&1 < /dev/null
echo $? > ${shared}/exit
$busybox sync
${guest.epilogue}`,
  );
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Resolves to what the kernel wrote, once it has ended, by itself or because of the limit. */
function runKernel(guest, { shared, init, memory, limit }) {
  const [program, args] = guest.command({ shared, init, memory });
  return new Promise((resolve, reject) => {
    // A group of its own: a guest's processes are processes of this machine under User-mode Linux,
    // and all of them must go.
    const child = spawn(program, args, {
      cwd: shared,
      env: { ...process.env, ...guest.env?.({ memory }) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => chunks.push(chunk));
    const end = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // No process is left.
      }
    };
    const timer = setTimeout(() => {
      chunks.push(Buffer.from(`\nended after ${limit / 1000} s\n`));
      end();
    }, limit);
    const interrupted = (signal) => {
      end();
      rmSync(shared, { recursive: true, force: true });
      process.kill(process.pid, signal);
    };
    process.once('exit', end);
    for (const signal of signals) process.once(signal, interrupted);
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(timer);
      end();
      process.off('exit', end);
      for (const signal of signals) process.off(signal, interrupted);
    });
    child.once('close', () => resolve(Buffer.concat(chunks).toString().replace(/\r/g, '')));
  });
}

function quote(text) {
  return `'${String(text).replaceAll("'", "'\\''")}'`;
}
