// Starts the device (main.mjs) in a separate process in a guest.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('main.mjs', import.meta.url));
const node = '/dev/crypto';

/** Resolves to `{ stop, ended }` once /dev/crypto exists; `stop` resolves when it is removed. */
export async function startDevice(options = {}) {
  // boot.mjs provides `modprobe`.
  const { status, stderr } = spawnSync(process.env.modprobe ?? 'modprobe', ['cuse'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the module cuse cannot be loaded: ${stderr}`);
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(() => existsSync(node) || child.exitCode !== null, 'the device was not made');
  if (child.exitCode !== null) throw new Error(`the device ended with ${child.exitCode}`);
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await until(() => !existsSync(node), 'the device did not go');
  };
  return { stop, ended };
}

/** Runs `work` with a device, which it is given. */
export async function withDevice(options, work) {
  const device = await startDevice(options);
  try {
    return await work(device);
  } finally {
    await device.stop();
  }
}

/** Starts the device for the tests of a group, if they are of `cryptodev`. */
export function deviceFor(engine, options) {
  let device;
  before(async () => {
    if (engine === 'cryptodev') device = await startDevice(options);
  });
  after(() => device?.stop());
}

/** Reads the device's account: open files and sessions, and computed messages. */
export function readAccount() {
  const descriptor = openSync(node, 'r');
  try {
    const buffer = Buffer.alloc(65_536);
    return JSON.parse(
      buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, null)),
    );
  } finally {
    closeSync(descriptor);
  }
}

async function until(condition, complaint) {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 600) throw new Error(complaint);
    await sleep(50);
  }
}
