// A /dev/crypto for tests: the ioctls of cryptodev, computed by node:crypto, served through the
// kernel's CUSE (`modprobe cuse` first; as root). It shows whether our reading of that interface
// holds together, not what the real module does: the facts are those seen with the real one.
//
//   node main.mjs [JSON of the options of Device, and `dieAfter`: the number of CIOCCRYPT and CIOCAUTHCRYPT in whose midst it ends]
//
// Reading the device gives its account as JSON, which the real one has not: how many sessions are
// open, how much was computed. A message may have 128 KiB less the other parts of its ioctl, as
// CUSE carries at most 32 pages: ENOMEM above.

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
const observers = new Set(); // files through which the account was read: they are not in it

const channel = openSync('/dev/cuse', 'r+');
const buffer = Buffer.alloc(2 ** 18 + 4096);
for (;;) {
  const { operation, unique, body } = parseRequest(buffer.subarray(0, readSync(channel, buffer)));
  const answer = serve(operation, body);
  if (answer === undefined) continue;
  try {
    writeSync(channel, reply(unique, answer.error ?? 0, ...(answer.parts ?? [])));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error; // the caller was interrupted and waits no more
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
