// Boots a guest: another Linux kernel with the root file system of this machine, read-only. Jobs in
// it are root, so that tests of the kernel's cryptography can load and block modules and create
// devices. They run the programs of this machine, including Node and the addon.
//
// Each kind of guest (uml.mjs, qemu.mjs) defines how its kernel starts, the first and last commands
// of its init process, and the folder of its modules. This file has the rest. Output and exit code
// are returned in a folder that guest and machine share.

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
 * Returns the guest of that name (`uml`, `qemu`, `qemu:sid`), or the first available one. Throws
 * Stop with the reasons if there is none.
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
 * Boots a guest, runs a job in it as root, and removes all files afterwards.
 *
 * @param job a shell script, run in the root of this checkout. `$shared` is the shared folder,
 *   `$busybox` provides the usual tools
 * @param options
 *   `blocked`: names of modules that fail to load, as with `install NAME /bin/false`
 *   `environment`: more variables for the job
 *   `memory`: in MiB
 *   `limit`: in ms, for boot and job; by default 10 minutes or the guest's own limit
 *   `collect`: names of files in the shared folder to return
 * @returns `{ code, output, console, files, ms }`: the job's exit code (undefined if the limit was
 *   reached), its output and the kernel's
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
    const log = await runKernel(guest, { shared, init, memory, limit });
    const text = (name) =>
      existsSync(join(shared, name)) ? readFileSync(join(shared, name), 'utf8') : '';
    return {
      code: text('exit') === '' ? undefined : Number(text('exit')),
      output: text('output'),
      console: log,
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

/** Resolves to the kernel's output when it has ended or reached the limit. */
function runKernel(guest, { shared, init, memory, limit }) {
  const [program, args] = guest.command({ shared, init, memory });
  return new Promise((resolve, reject) => {
    // A process group, to end all processes: those of a User-mode Linux guest are processes of this
    // machine.
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
