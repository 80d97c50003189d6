/**
 * The objects that createCipheriv and createDecipheriv return, with the methods and the stream of
 * Node's Cipheriv and Decipheriv, and inherit from their prototypes. As in Node.js, a decipher
 * returns plaintext before its tag is checked.
 *
 * Whatever Node.js refuses is handed to an object of Node's in the same state, and the caller
 * gets its error. Unusual arguments before the first byte replace the message by Node's object.
 */
import nodeDecoder = require('node:string_decoder');
import type { Transform } from 'node:stream';
import { failure } from '../../base/errors.js';
import {
  bytesOfBuffer,
  bytesOfView,
  copyInto,
  isBytesView,
  isUint8Array,
  NO_BYTES,
  sizeOf,
} from '../../base/intrinsics.js';
import { encodeShort, isShort, textScratch } from '../../request/input-buffer.js';
import { SMALL_BYTES, stage, takeStaged } from '../../base/secret-results.js';
import { allocateApart, type Buffer as OwnBuffer } from '#platform/base/runtime.js';
import { beginMessage, CipherMessage } from './cipher-message.js';
import { apart, isHex, textBytes } from './digester.js';
import type { ServedCipher } from './served-ciphers.js';
import { StreamMessage } from './stream-message.js';

const { StringDecoder } = nodeDecoder;
const { allocUnsafe } = Buffer;
type Decoder = InstanceType<typeof StringDecoder> & { readonly encoding: string };

/** The size of a tag without `authTagLength`. */
const TAG_SIZE = 16;
/** The most bytes of additional data that are kept until the message starts. */
const AAD_MAX = 2 ** 20;
/** The most bytes of an update that no version of Node.js refuses. */
const SURE_MAX = 2 ** 30;

const enum Stage {
  /** No byte was processed. */
  New,
  Started,
  Spent,
}

/** Node's object. */
export interface NodeCipher extends Transform {
  readonly _decoder: Decoder | null;
  update(data: unknown, inputEncoding?: unknown, outputEncoding?: unknown): Buffer | string;
  final(outputEncoding?: unknown): Buffer | string;
  setAAD(data: unknown, options?: unknown): unknown;
  setAutoPadding(on?: unknown): unknown;
  setAuthTag(tag: unknown, encoding?: unknown): unknown;
  getAuthTag(): Buffer;
}

/** The differences between Cipheriv and Decipheriv. */
interface CipherKind {
  /** The prototype of Node's class. */
  readonly prototype: object;
  readonly encrypt: boolean;
  /** Returns a new object of Node's. */
  fresh(name: string, key: Uint8Array, iv: Uint8Array, options: unknown): NodeCipher;
}

/** Makes the objects of a kind. `tagSize` is 0 without `authTagLength`. */
export type CipherClass = new (
  served: ServedCipher,
  key: Uint8Array | string,
  iv: Uint8Array,
  tagSize: number,
  options: unknown,
) => object;

/** Makes the class of a kind. */
export function cipherClass(kind: CipherKind): CipherClass {
  const { encrypt } = kind;

  class Class {
    readonly #served: ServedCipher;
    readonly #tagSize: number;
    #stage = Stage.New;
    /** Undefined once it has ended. */
    #message: CipherMessage | StreamMessage | undefined;
    #aad: Uint8Array = NO_BYTES;
    /** The tag that a decipher checks, or the tag of a message that has ended. */
    #tag: OwnBuffer | undefined = undefined;
    /** Node's object, which does everything once there is one. */
    #node: NodeCipher | undefined = undefined;
    declare _decoder: Decoder | null;
    declare _options: unknown;

    constructor(
      served: ServedCipher,
      key: Uint8Array | string,
      iv: Uint8Array,
      tagSize: number,
      options: unknown,
    ) {
      this.#served = served;
      this.#tagSize = tagSize;
      const { facts } = served;
      this.#message =
        facts.tagSize > 0
          ? beginMessage(key, facts.keySize, iv)
          : new StreamMessage(facts, encrypt, key, iv);
      this._decoder = null;
      // Node's LazyTransform passes it to the constructor of stream.Transform.
      this._options = options;
    }

    update(data: unknown, inputEncoding: unknown, outputEncoding: unknown): unknown {
      return this.#update(data, inputEncoding, outputEncoding);
    }

    #update(data: unknown, inputEncoding?: unknown, outputEncoding?: unknown): unknown {
      const node = this.#node;
      if (node !== undefined) {
        const result = node.update(data, inputEncoding, outputEncoding);
        this._decoder = node._decoder;
        return result;
      }
      if (
        typeof data === 'string' &&
        (inputEncoding === undefined || inputEncoding === 'utf8') &&
        isShort(data) &&
        this.#stage !== Stage.Spent
      ) {
        const size = encodeShort(data, textScratch);
        const result = this.#process(textScratch, size, outputEncoding);
        return this.#encoded(result, outputEncoding, false);
      }
      const bytes = isUint8Array(data) ? data : messageBytes(data, inputEncoding);
      if (bytes === undefined || this.#stage === Stage.Spent) {
        this.#reference().update(data, inputEncoding, outputEncoding);
        return allocateApart(0);
      }
      // Node.js refuses 2 GiB, and some versions one byte less.
      if (sizeOf(bytes) > SURE_MAX) this.#reference().update(bytes);
      const result = this.#process(bytes, sizeOf(bytes), outputEncoding);
      return this.#encoded(result, outputEncoding, false);
    }

    final(outputEncoding: unknown): unknown {
      return this.#final(outputEncoding);
    }

    #final(outputEncoding?: unknown): unknown {
      const node = this.#node;
      if (node !== undefined) {
        const result = node.final(outputEncoding);
        this._decoder = node._decoder;
        return result;
      }
      if (this.#stage === Stage.Spent) return this.#reference().final(outputEncoding);
      return this.#encoded(this.#finish(), outputEncoding, true);
    }

    setAAD(aadbuf: unknown, options: unknown): this {
      if (
        this.#node === undefined &&
        this.#stage === Stage.New &&
        options === undefined &&
        this.#served.facts.tagSize > 0
      ) {
        const aad = isBytesView(aadbuf)
          ? bytesOfView(aadbuf)
          : typeof aadbuf === 'string'
            ? Buffer.from(aadbuf, 'utf8')
            : undefined;
        if (aad !== undefined && sizeOf(aad) + this.#aad.length <= AAD_MAX) {
          this.#aad = this.#aad.length > 0 ? Buffer.concat([this.#aad, aad]) : Buffer.from(aad);
          return this;
        }
      }
      this.#replaceOrReference().setAAD(aadbuf, options);
      return this;
    }

    setAutoPadding(ap: unknown): this {
      if (this.#node !== undefined || this.#stage === Stage.Spent)
        this.#replaceOrReference().setAutoPadding(ap);
      return this;
    }

    setAuthTag(tagbuf: unknown, encoding: unknown): this {
      const expected = this.#tagSize === 0 ? TAG_SIZE : this.#tagSize;
      if (
        this.#node === undefined &&
        this.#stage !== Stage.Spent &&
        this.#tag === undefined &&
        this.#served.facts.tagSize > 0 &&
        isUint8Array(tagbuf) &&
        sizeOf(tagbuf) === expected
      ) {
        copyInto((this.#tag = allocUnsafe(expected)), tagbuf, 0);
        return this;
      }
      const theirs = this.#replaceOrReference();
      theirs.setAuthTag(tagbuf, encoding);
      // Node.js accepts it for a message that has started here.
      if (this.#node === undefined) this.#tag = tagBytes(tagbuf, encoding);
      return this;
    }

    getAuthTag(): Buffer {
      if (this.#node !== undefined) return this.#node.getAuthTag();
      const tag = this.#tag;
      return tag === undefined ? this.#reference().getAuthTag() : apart(tag);
    }

    _transform(
      this: Class & { push(chunk: unknown): void },
      chunk: unknown,
      encoding: unknown,
      callback: () => void,
    ): void {
      // Unlike update, the stream accepts an odd number of hex digits.
      const bytes = typeof chunk === 'string' ? textBytes(chunk, encoding) : chunk;
      this.push(this.#update(bytes));
      callback();
    }

    _flush(
      this: Class & { push(chunk: unknown): void },
      callback: (error?: unknown) => void,
    ): void {
      try {
        this.push(this.#final());
      } catch (error) {
        callback(error);
        return;
      }
      callback();
    }

    #process(bytes: Uint8Array, size: number, encoding: unknown): Buffer {
      if (size === 0) return allocateApart(0);
      const message = this.#started();
      // Node's results have ArrayBuffers of their own.
      const small = size <= SMALL_BYTES;
      // A ciphertext that becomes text is not a secret: the pool's memory costs less.
      const pooled = encrypt && encoding && encoding !== 'buffer';
      const target = small ? stage(size) : pooled ? allocUnsafe(size) : allocateApart(size);
      const status = message.update(bytes, size, target);
      if (status !== 0) {
        this.#end();
        throw failure(status);
      }
      return small ? takeStaged(target) : target;
    }

    #finish(): Buffer {
      if (this.#served.facts.tagSize === 0) {
        this.#end();
        return allocateApart(0);
      }
      if (!encrypt && this.#tag === undefined) {
        // Node.js refuses it.
        const theirs = this.#reference();
        this.#end();
        return theirs.final() as Buffer;
      }
      const message = this.#started() as CipherMessage;
      const tag = encrypt ? allocUnsafe(this.#tagSize || TAG_SIZE) : this.#tag!;
      const status = message.finish(tag, encrypt);
      this.#end();
      if (status !== 0) {
        if (!encrypt) this.#refuse();
        throw failure(status);
      }
      this.#tag = tag;
      return allocateApart(0);
    }

    /** Returns the message. Its additional data are complete from here on. */
    #started(): CipherMessage | StreamMessage {
      const message = this.#message!;
      if (this.#stage === Stage.New) {
        if (message instanceof CipherMessage) message.start(this.#served.facts, encrypt, this.#aad);
        this.#stage = Stage.Started;
      }
      return message;
    }

    #end(): void {
      this.#stage = Stage.Spent;
      this.#message!.end();
      this.#message = undefined;
    }

    /** Throws Node's error for a wrong tag. */
    #refuse(): void {
      const theirs = this.#empty();
      theirs.setAuthTag(Buffer.alloc(this.#tag!.length));
      theirs.final();
    }

    #encoded(result: Buffer, encoding: unknown, end: boolean): Buffer | string {
      if (!encoding || encoding === 'buffer') return result;
      const decoder = (this._decoder ??= new StringDecoder(encoding as BufferEncoding) as Decoder);
      if (decoder.encoding !== encoding) {
        // Node.js refuses another encoding than that of earlier results.
        const theirs = this.#empty();
        theirs.update('', 'utf8', decoder.encoding);
        theirs.update('', 'utf8', encoding);
      }
      return end ? decoder.end(result) : decoder.write(result);
    }

    /**
     * Returns the object of Node's that replaces this one before the message starts, afterwards one
     * for reference.
     */
    #replaceOrReference(): NodeCipher {
      if (this.#node !== undefined) return this.#node;
      if (this.#stage !== Stage.New) return this.#reference();
      const { key, nonce } = this.#message!;
      const theirs = kind.fresh(this.#served.name, key, nonce, this.#nodeOptions());
      if (this.#aad.length > 0) theirs.setAAD(this.#aad);
      if (this.#tag !== undefined) theirs.setAuthTag(this.#tag);
      this.#end();
      return (this.#node = theirs);
    }

    /** Returns an object of Node's in the state of this one, with another key. */
    #reference(): NodeCipher {
      const theirs = this.#empty();
      if (!encrypt && this.#tag !== undefined) theirs.setAuthTag(Buffer.alloc(this.#tag.length));
      if (this.#stage !== Stage.New) theirs.update(Buffer.alloc(1));
      if (this.#stage === Stage.Spent) {
        try {
          theirs.final();
        } catch {
          // The tag is wrong: the state is the same as after a right one.
        }
      }
      return theirs;
    }

    #empty(): NodeCipher {
      const { name, facts } = this.#served;
      const key = Buffer.alloc(facts.keySize);
      return kind.fresh(name, key, Buffer.alloc(facts.ivSize), this.#nodeOptions());
    }

    #nodeOptions(): object | undefined {
      return this.#tagSize === 0 ? undefined : { authTagLength: this.#tagSize };
    }
  }

  const methods = Class.prototype as unknown as Record<string, unknown>;
  delete methods[encrypt ? 'setAuthTag' : 'getAuthTag'];
  for (const name of Object.getOwnPropertyNames(methods))
    if (name !== 'constructor') Object.defineProperty(methods, name, { enumerable: true });
  Object.setPrototypeOf(methods, kind.prototype);
  return Class;
}

/** Returns the bytes of a message, or undefined if Node.js refuses them. */
function messageBytes(data: unknown, encoding: unknown): Uint8Array | undefined {
  if (isBytesView(data)) return bytesOfView(data);
  if (typeof data !== 'string') return undefined;
  return isHex(encoding) && data.length % 2 !== 0 ? undefined : textBytes(data, encoding);
}

/** Returns a copy of a tag that Node.js has accepted. */
function tagBytes(tag: unknown, encoding: unknown): OwnBuffer {
  if (typeof tag === 'string') return Buffer.from(textBytes(tag, encoding));
  return Buffer.from(isBytesView(tag) ? bytesOfView(tag) : bytesOfBuffer(tag)!);
}
