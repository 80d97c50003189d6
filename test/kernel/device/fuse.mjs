// The messages between the kernel's CUSE and the program behind a character device: a header and
// the operation's data. The layouts are those of the kernel's header linux/fuse.h, little-endian.

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

/** An answer to ioctl: retry with these parts of the caller's memory. */
const ioctlRetry = 1 << 2;

/**
 * CUSE_UNRESTRICTED_IOCTL: the program, not the ioctl's number, determines which memory the ioctl
 * reads and writes.
 */
const unrestrictedIoctl = 1 << 0;

/** Parses a request from /dev/cuse. */
export function parseRequest(bytes) {
  return {
    operation: bytes.readUInt32LE(4),
    unique: bytes.readBigUInt64LE(8),
    body: bytes.subarray(40, bytes.readUInt32LE(0)),
  };
}

/**
 * Parses an ioctl's body: the file, number and argument, the caller's memory that was read, and how
 * many bytes may be written back.
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

/** Builds an answer; `error` is an errno, or 0. */
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

/** Builds the answer of a successful ioctl; `bytes` fill the requested ranges in order. */
export function answered(bytes = Buffer.alloc(0)) {
  return Buffer.concat([Buffer.alloc(16), bytes]);
}

/**
 * Builds an answer that requests the ioctl again, with the caller's memory ranges `reads` and
 * `writes`. Each is `{ address: bigint, size }`.
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
