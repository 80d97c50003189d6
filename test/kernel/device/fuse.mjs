// The messages between the kernel's CUSE and the program that serves a character device: a header,
// then what the operation needs. The layouts are those of the kernel's public header linux/fuse.h;
// all numbers are little-endian here.

export const Operation = {
  open: 14,
  read: 15,
  release: 18,
  flush: 25,
  interrupt: 36,
  ioctl: 39,
  poll: 40,
  init: 4096,
};

/** What ioctl may answer: once more, but with these parts of the caller's memory. */
const ioctlRetry = 1 << 2;

/**
 * CUSE_UNRESTRICTED_IOCTL: the program says which memory an ioctl reads and writes, instead of the
 * ioctl's number.
 */
const unrestrictedIoctl = 1 << 0;

/** A request as it was read from /dev/cuse. */
export function parseRequest(bytes) {
  return {
    operation: bytes.readUInt32LE(4),
    unique: bytes.readBigUInt64LE(8),
    body: bytes.subarray(40, bytes.readUInt32LE(0)),
  };
}

/**
 * An ioctl's body: the file it came through, its number and argument, the caller's memory read for
 * it, and how much may be written back.
 */
export function parseIoctl(body) {
  const input = body.readUInt32LE(24);
  return {
    file: body.readBigUInt64LE(0),
    compatible: (body.readUInt32LE(8) & 1) !== 0,
    command: body.readUInt32LE(12),
    argument: body.readBigUInt64LE(16),
    input: body.subarray(32, 32 + input),
    outputSize: body.readUInt32LE(28),
  };
}

export const parseFile = (body) => body.readBigUInt64LE(0);

/** A whole answer: `error` is the number of an errno, or 0. */
export function reply(unique, error, ...parts) {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(16);
  head.writeUInt32LE(16 + body.length, 0);
  head.writeInt32LE(-error, 4);
  head.writeBigUInt64LE(unique, 8);
  return Buffer.concat([head, body]);
}

export function initialized(body, name) {
  const out = Buffer.alloc(72);
  out.writeUInt32LE(body.readUInt32LE(0), 0); // the version, as the kernel has it
  out.writeUInt32LE(body.readUInt32LE(4), 4);
  out.writeUInt32LE(unrestrictedIoctl, 12);
  out.writeUInt32LE(131_072, 16); // the largest read and write
  out.writeUInt32LE(131_072, 20);
  return Buffer.concat([out, Buffer.from(`DEVNAME=${name}\0`)]);
}

export function opened(file) {
  const out = Buffer.alloc(16);
  out.writeBigUInt64LE(file, 0);
  return out;
}

/** An ioctl that succeeded: `bytes` go to the memory asked for, one range after the other. */
export function answered(bytes = Buffer.alloc(0)) {
  return Buffer.concat([Buffer.alloc(16), bytes]);
}

/**
 * Asks for the ioctl once more, with the caller's memory `reads` in it, and `writes` to be written.
 * Each is `{ address: bigint, size }`.
 */
export function retried(reads, writes) {
  const out = Buffer.alloc(16 + 16 * (reads.length + writes.length));
  out.writeUInt32LE(ioctlRetry, 4);
  out.writeUInt32LE(reads.length, 8);
  out.writeUInt32LE(writes.length, 12);
  [...reads, ...writes].forEach(({ address, size }, index) => {
    out.writeBigUInt64LE(address, 16 + 16 * index);
    out.writeBigUInt64LE(BigInt(size), 24 + 16 * index);
  });
  return out;
}
