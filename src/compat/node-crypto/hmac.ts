/** createHmac and Hmac of millrace/node-crypto. */
import { types } from './key-types.js';
import { keyStates } from '../../hashers/key-states.js';
import { Running } from '../../hashers/running.js';
import { automatic } from '../../engines/engines.js';
import { keptMacKeyOrBytes } from '../../operations/kept-keys.js';
import { withKeyBytes } from '../../operations/key.js';
import { encodeShort, isShort, keyScratch } from '../../request/input-buffer.js';
import { bytesOfBuffer, isBytesView, isUint8Array, part } from '../../base/intrinsics.js';
import type { Key } from '../../request/key.js';
import { wipe } from '../../base/secret-memory.js';
import { callLog, countCall } from './call-log.js';
import { callableClass } from './callable-class.js';
import { digesterClass, type NodeDigester } from './digester.js';
import { callNode, isPlain, original } from './original.js';
import { servedHmacs, type ServedHash } from './served-hashes.js';

const { prototype } = original.Hmac as unknown as { prototype: object };
const Class = digesterClass({
  prototype,
  mac: true,
  fresh: ({ name }) => original.createHmac(name, '') as NodeDigester,
});

export function createHmac(algorithm: unknown, key: unknown, options?: unknown): unknown {
  if (typeof algorithm === 'string' && (options === undefined || !hasEncoding(options))) {
    const served = servedHmacs.find(algorithm);
    const states = served === undefined ? undefined : statesOf(served, key);
    if (states !== undefined) {
      if (callLog.on) countCall('createHmac', algorithm, true);
      const { facts, size } = served!;
      const running = isUint8Array(states)
        ? new Running(facts, true, undefined, 0, 0, size, automatic, states)
        : new Running(facts, true, states, 0, 0, size, automatic);
      return new Class(running, served!, size, options);
    }
  }
  if (callLog.on) countCall('createHmac', algorithm, false);
  return callNode(original.createHmac, arguments);
}

/** Returns true if Node.js has to read the options: `encoding` decodes a key that is a string. */
function hasEncoding(options: unknown): boolean {
  if (options === null) return false;
  if (typeof options !== 'object' || !isPlain(options, 'encoding')) return true;
  return (options as { encoding?: unknown }).encoding !== undefined;
}

/**
 * Returns the midstates of a key or a prepared key, or undefined if Node.js has to decide on it.
 */
function statesOf({ facts }: ServedHash, key: unknown): Uint8Array | Key | undefined {
  if (isUint8Array(key)) return keyStates(facts, key, automatic);
  if (typeof key === 'string') {
    if (isShort(key)) return textStates(facts, key);
  } else if (types.isKeyObject(key)) {
    if (key.type !== 'secret') return undefined;
    const kept = keptMacKeyOrBytes(key, facts);
    if (isUint8Array(kept)) {
      try {
        return keyStates(facts, kept, automatic);
      } finally {
        wipe(kept);
      }
    }
    if (kept !== undefined) return kept;
  } else if (!isBytesView(key) && bytesOfBuffer(key) === undefined) {
    return undefined;
  }
  return withKeyBytes(key, (bytes) => keyStates(facts, bytes, automatic));
}

/** Encodes a short key into memory that is reused and wiped. */
function textStates(facts: ServedHash['facts'], key: string): Uint8Array {
  const size = encodeShort(key, keyScratch);
  try {
    return keyStates(facts, part(keyScratch, 0, size), automatic);
  } finally {
    wipe(keyScratch, 0, size);
  }
}

/** crypto.Hmac. */
export const Hmac = callableClass(original.Hmac, createHmac, Class.prototype);
