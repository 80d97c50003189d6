// What is measured, as data. One row of the table = one of these at one size.
//
//   group      cipher | aead | hash | hmac
//   algorithm  by its Millrace name
//   operation  of an AEAD: seal | open
//   key        raw: key bytes with every call; prepared: Millrace's Key object. A contestant is
//              measured in every form it has (KeyObject, imported CryptoKey) and counts with the fastest.
//   output     buffer: a new Buffer; hex: a string; into: bytes in a buffer the caller gave
//   waits      sync | callback | promise, with several jobs in flight in the last two
//
// A contestant that lacks the output `into` takes part with a new Buffer, and one that lacks the
// asynchronous way of waiting in question with the one it has (see choose() in runner.mjs).

export const sizes = [64, 256, 1024, 4096, 65536, 1048576];
export const quickSizes = [64, 1024, 65536];

/** Jobs in flight at once in the asynchronous rows. */
export const inFlight = 16;

const sync = ['sync'];
const both = ['sync', 'callback'];
const all = ['sync', 'callback', 'promise'];

export const definitions = [
  { group: 'hash', algorithm: 'sha256', output: 'hex', waits: sync },
  { group: 'hash', algorithm: 'sha256', output: 'buffer', waits: all },
  { group: 'hash', algorithm: 'sha256', output: 'into', waits: both },
  { group: 'hash', algorithm: 'sha512', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'sha3-256', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'blake2b512', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'sha1', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'md5', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'blake3', output: 'buffer', waits: both },
  { group: 'hash', algorithm: 'xxh3-64', output: 'hex', waits: sync },

  { group: 'hmac', algorithm: 'hmac-sha256', key: 'raw', output: 'buffer', waits: all },
  { group: 'hmac', algorithm: 'hmac-sha256', key: 'prepared', output: 'buffer', waits: both },
  { group: 'hmac', algorithm: 'hmac-sha256', key: 'raw', output: 'into', waits: sync },

  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw', output: 'buffer', waits: all },
  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw', output: 'into', waits: both },
  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'prepared', output: 'into', waits: sync },
  { group: 'cipher', algorithm: 'chacha20', key: 'raw', output: 'buffer', waits: sync },
  { group: 'cipher', algorithm: 'chacha20', key: 'raw', output: 'into', waits: both },

  { group: 'aead', algorithm: 'aes-256-gcm', operation: 'seal', key: 'raw', output: 'buffer', waits: all },
  { group: 'aead', algorithm: 'aes-256-gcm', operation: 'seal', key: 'prepared', output: 'buffer', waits: sync },
  { group: 'aead', algorithm: 'aes-256-gcm', operation: 'seal', key: 'raw', output: 'into', waits: both },
  { group: 'aead', algorithm: 'aes-256-gcm', operation: 'seal', key: 'prepared', output: 'into', waits: both },
  { group: 'aead', algorithm: 'aes-256-gcm', operation: 'open', key: 'raw', output: 'buffer', waits: both },
  { group: 'aead', algorithm: 'chacha20-poly1305', operation: 'seal', key: 'raw', output: 'buffer', waits: sync },
  { group: 'aead', algorithm: 'chacha20-poly1305', operation: 'seal', key: 'raw', output: 'into', waits: both },
];

/** One line that names a definition: "aes-256-gcm seal, prepared key, into". */
export function describe({ algorithm, operation, key, output }) {
  const what = operation === undefined ? algorithm : `${algorithm} ${operation}`;
  return [what, key === undefined ? undefined : `${key} key`, output].filter((part) => part !== undefined).join(', ');
}
