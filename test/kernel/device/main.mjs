// A /dev/crypto for tests: cryptodev's ioctls on node:crypto, through the kernel's CUSE (as root;
// `modprobe cuse` first). It follows what was seen with the real module, but does not show how the
// real module behaves in other cases.
//
//   node main.mjs [JSON: the options of Device, and `dieAfter`, the number of the CIOCCRYPT or
//   CIOCAUTHCRYPT during which the process exits]
//
// Unlike the real device, reading it returns its account as JSON: the open sessions and the
// computed messages. CUSE carries at most 32 pages, so a message has at most 128 KiB less the other
// parts of its ioctl; above that is ENOMEM.

import { openSync, readSync, writeSync } from 'node:fs';

import {
  Operation,
  answered,
  initialized,
  opened,
  parseFile,
  parseIoctl,
  parseRequest,
  reply,
  retried,
} from './fuse.mjs';
import { Device } from './ioctls.mjs';
import { Errno, Refusal } from './sessions.mjs';

const ENOSYS = 38;

const { dieAfter, ...options } = JSON.parse(process.argv[2] ?? '{}');
const device = new Device(options);
const observers = new Set(); // files that read the account, which excludes them

const channel = openSync('/dev/cuse', 'r+');
const buffer = Buffer.alloc(2 ** 18 + 4096);
for (;;) {
  const { operation, unique, body } = parseRequest(buffer.subarray(0, readSync(channel, buffer)));
  const answer = serve(operation, body);
  if (answer === undefined) continue;
  try {
    writeSync(channel, reply(unique, answer.error ?? 0, ...(answer.parts ?? [])));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error; // the caller was interrupted and no longer waits
  }
}

function serve(operation, body) {
  switch (operation) {
    case Operation.init:
      return { parts: [initialized(body, 'crypto')] };
    case Operation.open:
      return { parts: [opened(device.open())] };
    case Operation.release:
      device.release(parseFile(body));
      observers.delete(parseFile(body));
      return {};
    case Operation.flush:
      return {};
    case Operation.read: {
      observers.add(parseFile(body));
      const { files, ...account } = device.account();
      return {
        parts: [Buffer.from(JSON.stringify({ files: files - observers.size, ...account }))],
      };
    }
    case Operation.ioctl:
      return ioctl(parseIoctl(body));
    case Operation.interrupt:
      return undefined;
    default:
      return { error: ENOSYS };
  }
}

function ioctl(request) {
  try {
    const { output, reads, writes } = device.ioctl(request);
    if (dieAfter !== undefined && device.counts.crypts + device.counts.authenticated === dieAfter)
      process.exit(1);
    return { parts: [output === undefined ? retried(reads, writes) : answered(output)] };
  } catch (error) {
    if (!(error instanceof Refusal)) console.error(error);
    const errno = error instanceof Refusal ? error.errno : Errno.EIO;
    device.counts.refused[errno] = (device.counts.refused[errno] ?? 0) + 1;
    return { error: errno };
  }
}
