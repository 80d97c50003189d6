/** createHash, Hash and hash of millrace/node-crypto. */
import { automatic, base } from '../../engines/engines.js';
import { Running } from '../../hashers/running.js';
import { fastBuffer, fastHex } from '../../operations/fast-path.js';
import { encodeShort, isShort, TEXT_OFFSET, textScratch } from '../../request/input-buffer.js';
import { bytesOfView, isBytesView } from '../../base/intrinsics.js';
import { WHOLE } from '../../base/protocol.js';
import { Form } from '../../request/request.js';
import { callLog, countCall } from './call-log.js';
import { callableClass } from './callable-class.js';
import { apart, digesterClass, type NodeDigester } from './digester.js';
import { callNode, isPlain, original } from './original.js';
import { naturalSize, servedHashes, type ServedHash } from './served-hashes.js';

const { prototype } = original.Hash as unknown as { prototype: object };
const Class = digesterClass({
  prototype,
  mac: false,
  fresh: ({ name, facts }) =>
    original.createHash(name, facts.xof ? { outputLength: 32 } : undefined) as NodeDigester,
  copySize(served, options) {
    const asked =
      typeof options === 'object' && options !== null
        ? (options as { outputLength?: unknown }).outputLength
        : undefined;
    if (isSize(asked, served)) return asked;
    return asked === undefined && !served.facts.xof ? served.size : undefined;
  },
});

/** The most bytes of an extendable output that Millrace serves. */
const OUTPUT_MAX = 2 ** 30;

export function createHash(algorithm: unknown, options?: unknown): unknown {
  if (typeof algorithm === 'string') {
    const served = servedHashes.find(algorithm);
    if (served !== undefined) {
      const size =
        options === undefined && served.size > 0 ? served.size : sizeFor(served, options);
      if (size > 0) {
        if (callLog.on) countCall('createHash', algorithm, true);
        const running = new Running(served.facts, false, undefined, 0, 0, size, automatic);
        return new Class(running, served, size, options);
      }
    }
  }
  if (callLog.on) countCall('createHash', algorithm, false);
  return callNode(original.createHash, arguments);
}

/** Returns the size of the digest, or 0 if Node.js has to decide on the options. */
function sizeFor(served: ServedHash, options: unknown): number {
  if (options === undefined || options === null) return naturalSize(served);
  if (typeof options !== 'object' || !isPlain(options, 'outputLength')) return 0;
  const { outputLength } = options as { outputLength?: unknown };
  if (outputLength === undefined) return naturalSize(served);
  return isSize(outputLength, served) ? outputLength : 0;
}

function isSize(value: unknown, { facts }: ServedHash): value is number {
  if (typeof value !== 'number') return false;
  if (!facts.xof) return value === facts.digestSize;
  return Number.isInteger(value) && value > 0 && value <= OUTPUT_MAX;
}

/** crypto.Hash. */
export const Hash = callableClass(original.Hash, createHash, Class.prototype);

/** Does the work of crypto.hash, where Node.js has it. */
export function hash(algorithm: unknown, data: unknown, encoding: unknown = 'hex'): unknown {
  if (typeof algorithm === 'string' && (encoding === 'hex' || encoding === 'buffer')) {
    const served = servedHashes.find(algorithm);
    const digest = served === undefined ? undefined : digestOf(served, data, encoding === 'hex');
    if (digest !== undefined) {
      if (callLog.on) countCall('hash', algorithm, true);
      return digest;
    }
  } else if (encoding === 'base64' || encoding === 'base64url') {
    const digest = hash(algorithm, data, 'buffer');
    return (digest as Buffer).toString(encoding);
  }
  if (callLog.on) countCall('hash', algorithm, false);
  return callNode(original.hash, arguments);
}

function digestOf(served: ServedHash, data: unknown, hex: boolean): string | Buffer | undefined {
  const { facts } = served;
  const size = served.size > 0 ? served.size : naturalSize(served);
  if (size === 0) return undefined;
  if (size === facts.digestSize) {
    const given =
      typeof data === 'string' && isShort(data) ? encodeShort(data, textScratch) : WHOLE;
    if (hex) {
      const text = fastHex(facts, data, TEXT_OFFSET, given, 0, base);
      if (text !== undefined) return text;
    } else {
      const digest = fastBuffer(facts, data, TEXT_OFFSET, given, 0, base);
      if (digest !== undefined) return apart(digest);
    }
  }
  const bytes =
    typeof data === 'string'
      ? Buffer.from(data, 'utf8')
      : isBytesView(data)
        ? bytesOfView(data)
        : undefined;
  if (bytes === undefined) return undefined;
  const running = new Running(facts, false, undefined, 0, 0, size, automatic);
  running.update(bytes, 0, bytes.length);
  return hex ? (running.digest(Form.Hex) as string) : apart(running.digest(Form.Buffer) as Buffer);
}
