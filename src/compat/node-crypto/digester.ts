/**
 * The objects that createHash and createHmac return: running hashes with the methods and the stream
 * of Node's Hash and Hmac. They inherit from Node's prototypes, which make them streams on first
 * use and instances of crypto.Hash and crypto.Hmac.
 *
 * Whatever Node.js refuses is handed to an object of Node's in the same state, and the caller
 * gets its error: codes, classes and messages are those of the running version.
 */
import { Running } from '../../hashers/running.js';
import { bytesOfView, isBytesView, isUint8Array, sizeOf } from '../../base/intrinsics.js';
import { Form } from '../../request/request.js';
import { wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import type { Transform } from 'node:stream';
import type { ServedHash } from './served-hashes.js';

const { allocUnsafeSlow, isEncoding } = Buffer;

const enum Stage {
  Open,
  /** The stream returned the digest; digest() may follow. */
  Ended,
  /** digest() returned the digest. */
  Spent,
}

/** Node's object, as far as errors need it. */
export interface NodeDigester extends Transform {
  update(data: unknown, encoding: unknown): unknown;
  digest(encoding?: unknown): unknown;
}

/** The differences between Hash and Hmac. */
interface DigesterKind {
  /** The prototype of Node's class. */
  readonly prototype: object;
  readonly mac: boolean;
  /** Returns a new object of Node's with this algorithm. */
  fresh(served: ServedHash): NodeDigester;
  /**
   * Returns the size of a copy, which only Hash makes; undefined if Node.js has to decide on the
   * options.
   */
  copySize?(served: ServedHash, options: unknown): number | undefined;
}

/** A running hash of size 0 returns an empty digest. */
type DigesterClass = new (
  running: Running,
  served: ServedHash,
  size: number,
  options: unknown,
) => object;

/** Makes the class of a kind. */
export function digesterClass(kind: DigesterKind): DigesterClass {
  class Class {
    #running: Running;
    #served: ServedHash;
    #size: number;
    #stage = Stage.Open;
    /** The result of digest or of the stream. */
    #result: Buffer | string | undefined;
    declare _options: unknown;

    constructor(running: Running, served: ServedHash, size: number, options: unknown) {
      this.#running = running;
      this.#served = served;
      this.#size = size;
      this.#result = undefined;
      // Node's LazyTransform passes it to the constructor of stream.Transform.
      this._options = options;
    }

    update(data: unknown, encoding?: unknown): this {
      const running = this.#running;
      if (isUint8Array(data)) {
        if (running.tryBuffer(data)) return this;
        if (this.#stage === Stage.Open) {
          running.update(data, 0, sizeOf(data));
          return this;
        }
      } else if (
        typeof data === 'string' &&
        (encoding === undefined || encoding === 'utf8') &&
        this.#stage === Stage.Open &&
        running.updateText(data)
      ) {
        return this;
      }
      this.#updateAny(data, encoding);
      return this;
    }

    digest(encoding?: unknown): unknown {
      if (this.#stage !== Stage.Open) return this.#digestLate(encoding);
      let result: Buffer | string;
      if (encoding === 'hex' && this.#size > 0)
        this.#result = result = this.#running.digest(Form.Hex) as string;
      else if ((encoding === 'base64' || encoding === 'base64url') && this.#size > 0)
        result = this.#finishText(encoding);
      else result = encoded(encoding, () => this.#finish());
      this.#stage = Stage.Spent;
      return result;
    }

    copy(options?: unknown): unknown {
      const served = this.#served;
      // Before getters of the options.
      const isOpen = this.#stage === Stage.Open;
      const asked = isOpen ? kind.copySize?.(served, options) : undefined;
      // Node.js refuses it, or tells the size of its digest.
      const size = asked ?? sizeOfCopy(kind.prototype, this.#reference(), options);
      // A getter may have ended the message since.
      if (this.#stage !== Stage.Open)
        return sizeOfCopy(kind.prototype, this.#reference(), undefined);
      return new Class(this.#running.copy(size), served, size, options);
    }

    _transform(chunk: unknown, encoding: unknown, callback: () => void): void {
      // As in Node.js, chunks after the digest are ignored.
      if (this.#stage === Stage.Open) {
        const bytes = typeof chunk === 'string' ? textBytes(chunk, encoding) : viewBytes(chunk);
        this.#running.update(bytes, 0, bytes.length);
      }
      callback();
    }

    _flush(this: Class & { push(chunk: unknown): void }, callback: () => void): void {
      if (this.#stage === Stage.Open) {
        const digest = this.#finish();
        this.#stage = Stage.Ended;
        // A copy: the stream's reader may write to it, and digest() may follow.
        this.push(apart(digest));
      } else {
        this.push(kind.mac ? Buffer.alloc(0) : this.#digestBytes());
      }
      callback();
    }

    /** Returns the digest in its own ArrayBuffer, as Node.js does. */
    #finish(): Buffer {
      const running = this.#running;
      if (this.#size === 0) {
        running.finalize();
        return (this.#result = Buffer.alloc(0));
      }
      const digest = running.digest(Form.Buffer) as Buffer;
      // That of an HMAC is already in separate memory.
      return (this.#result = kind.mac ? digest : apart(digest));
    }

    #finishText(encoding: 'base64' | 'base64url'): string {
      const running = this.#running;
      if (!kind.mac) {
        const digest = running.digest(Form.Buffer) as Buffer;
        this.#result = digest;
        return digest.toString(encoding);
      }
      return running.digest(encoding === 'base64' ? Form.Base64 : Form.Base64url) as string;
    }

    #updateAny(data: unknown, encoding: unknown): void {
      if (this.#stage === Stage.Open) {
        if (typeof data === 'string') {
          if (!encoding || encoding === 'utf8') {
            updateLongText(this.#running, data, kind.mac);
            return;
          }
          if (data.length % 2 === 0 || !isHex(encoding)) {
            const bytes = textBytes(data, encoding);
            this.#running.update(bytes, 0, bytes.length);
            return;
          }
        } else if (isBytesView(data)) {
          const bytes = bytesOfView(data);
          this.#running.update(bytes, 0, bytes.length);
          return;
        }
      }
      this.#reference().update(data, encoding);
    }

    #digestLate(encoding: unknown): unknown {
      const theirs = this.#reference().digest(encoding) as Buffer | string;
      // A spent Hash has thrown, a spent Hmac returns nothing.
      if (this.#stage === Stage.Spent || theirs.length === 0) return theirs;
      this.#stage = Stage.Spent;
      return encoded(encoding, () => this.#digestBytes());
    }

    #digestBytes(): Buffer {
      const result = this.#result!;
      return apart(typeof result === 'string' ? Buffer.from(result, 'hex') : result);
    }

    #reference(): NodeDigester {
      const theirs = kind.fresh(this.#served);
      if (this.#stage === Stage.Ended) theirs._flush(() => {});
      if (this.#stage === Stage.Spent) theirs.digest();
      return theirs;
    }
  }

  for (const name of ['update', 'digest', '_transform', '_flush'] as const)
    Object.defineProperty(Class.prototype, name, { enumerable: true });
  if (kind.copySize === undefined) delete (Class.prototype as Partial<Class>).copy;
  Object.setPrototypeOf(Class.prototype, kind.prototype);
  return Class;
}

function sizeOfCopy(prototype: object, theirs: NodeDigester, options: unknown): number {
  const { copy } = prototype as { copy(options?: unknown): NodeDigester };
  return (copy.call(theirs, options).digest() as Buffer).length;
}

/** Returns a digest as Node.js encodes it: a Buffer for a name that is not an encoding. */
function encoded(encoding: unknown, finish: () => Buffer): Buffer | string {
  if (!encoding || encoding === 'buffer') return finish();
  // A Symbol throws here, before the digest, as in Node.js.
  const name = `${encoding as string}`;
  return isEncoding(name) ? finish().toString(name) : finish();
}

/** Memory for long texts: encoding them into new memory takes as long as hashing them. */
const TEXT_BYTES = 65_536;
let textMemory: Secret<Buffer> | undefined;
/** The most UTF-16 units of a piece: each may become three bytes. */
const TEXT_UNITS = Math.floor(TEXT_BYTES / 3);

function updateLongText(running: Running, text: string, secret: boolean): void {
  const memory = (textMemory ??= secretResult(TEXT_BYTES));
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + TEXT_UNITS, text.length);
    // Not between the halves of a surrogate pair.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const size = memory.write(text.slice(start, end));
    running.update(memory, 0, size);
    if (secret) wipe(memory, 0, size);
    start = end;
  }
}

/** Returns a copy in its own ArrayBuffer, which V8 allocates only when it is asked for. */
export function apart(digest: Buffer): Buffer {
  const copy = allocUnsafeSlow(digest.length);
  copy.set(digest);
  return copy;
}

/** Returns the bytes of a text as Node.js decodes it: UTF-8 for a name that is not an encoding. */
export function textBytes(text: string, encoding: unknown): Buffer {
  return Buffer.from(
    text,
    typeof encoding === 'string' && isEncoding(encoding) ? encoding : 'utf8',
  );
}

function viewBytes(chunk: unknown): Uint8Array {
  return isBytesView(chunk) ? bytesOfView(chunk) : Buffer.alloc(0);
}

/** Returns true for hex: Node.js refuses an odd number of digits. */
export function isHex(encoding: unknown): boolean {
  return typeof encoding === 'string' && encoding.toLowerCase() === 'hex';
}
