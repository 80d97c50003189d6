/** sign, verify, createSign and createVerify of millrace/node-crypto. */
import { Writable } from 'node:stream';
import { bytesOfView, isBytesView, sizeOf } from '../../base/intrinsics.js';
import type { SignatureParameters } from '../../calls/public-keys.js';
import type { HashAlgorithm } from '../../catalog/catalog.js';
import { signParser, verifySignatureParser } from '../../operations/signatures.js';
import { hasSmallOrder } from '../../public-keys/ed25519-points.js';
import type { Parser } from '../../request/request.js';
import { runSync } from '../../scheduling/run.js';
import {
  attempt,
  isMessage,
  leave,
  readKey,
  serve,
  snapshot,
  type KeyAndParameters,
  type ServedKey,
} from './asymmetric-keys.js';
import { callLog, countCall } from './call-log.js';
import { apart, isHex, textBytes } from './digester.js';
import { callNode, original } from './original.js';
import { servedHashes } from './served-hashes.js';
import { ServedNames } from './serving.js';

/** The hashes of signatures, by Node's names. */
const hashes = new ServedNames<HashAlgorithm>((name) => {
  const facts = servedHashes.find(name)?.facts;
  // It throws if OpenSSL does not sign with it.
  original.createSign(name);
  return facts === undefined || facts.xof ? undefined : (facts.name as HashAlgorithm);
});

/** How Millrace makes or verifies a signature. */
interface Signing {
  readonly served: ServedKey;
  readonly key: KeyAndParameters;
  readonly hash: HashAlgorithm | null;
  readonly parameters: SignatureParameters;
}

const NONE: SignatureParameters = Object.freeze(Object.create(null) as object);

/**
 * Returns how Millrace signs with a key, or undefined if Node.js has to decide. The engine refuses
 * parameters that do not fit the key; here are those that only Node.js reads otherwise.
 */
function signing(algorithm: unknown, key: KeyAndParameters | undefined): Signing | undefined {
  if (key === undefined || key.context !== undefined) return undefined;
  const { served, padding, saltLength, dsaEncoding } = key;
  const hash = hashFor(algorithm);
  if (hash === undefined || !isOptionalNumber(padding) || !isOptionalNumber(saltLength))
    return undefined;
  const given = { __proto__: null, padding, saltLength, dsaEncoding };
  const isPlain = (padding ?? saltLength ?? dsaEncoding) === undefined;
  const parameters = isPlain ? NONE : given;
  return { served, key, hash, parameters: parameters as SignatureParameters };
}

/** Returns the hash of an algorithm, null for none, undefined if Millrace does not have it. */
function hashFor(algorithm: unknown): HashAlgorithm | null | undefined {
  if (algorithm === null || algorithm === undefined) return null;
  return typeof algorithm === 'string' ? hashes.find(algorithm) : undefined;
}

function isOptionalNumber(value: unknown): boolean {
  return value === undefined || typeof value === 'number';
}

export function sign(
  this: unknown,
  algorithm: unknown,
  data: unknown,
  key: unknown,
  callback?: unknown,
): unknown {
  const how = isMessage(data) ? signing(algorithm, readKey(key, true)) : undefined;
  if (how === undefined) return leave('sign', algorithm, arguments);
  const message = snapshot(data, callback);
  const { served, hash, parameters } = how;
  const own = [hash, message, served.key, parameters];
  const given = [algorithm, message, how.key, callback];
  return serve(
    { name: 'sign', algorithm, served, callback, parser: signParser, own, given },
    apart,
  );
}

export function verify(
  this: unknown,
  algorithm: unknown,
  data: unknown,
  key: unknown,
  signature: unknown,
  callback?: unknown,
): unknown {
  // Some versions of Node.js refuse an ArrayBuffer here.
  const isData = typeof data === 'string' || isBytesView(data);
  const isSignature = isData && isBytesView(signature);
  const how = isSignature ? checked(signing(algorithm, readKey(key, false)), signature) : undefined;
  if (how === undefined) return leave('verify', algorithm, arguments);
  const message = snapshot(data, callback);
  const bytes = snapshot(signature, callback);
  const { served, hash, parameters } = how;
  const parser = verifySignatureParser;
  const own = [hash, message, served.key, bytes, parameters];
  const given = [algorithm, message, how.key, bytes, callback];
  return serve({ name: 'verify', algorithm, served, callback, parser, own, given });
}

/**
 * Returns `how` unless Node.js has to decide on the signature: it throws for another size in P1363,
 * OpenSSL accepts one of RSA-PSS without its leading zeros, and versions of it differ on points of
 * small order in Ed25519.
 */
function checked(how: Signing | undefined, signature: unknown): Signing | undefined {
  if (how === undefined) return undefined;
  const { type, signatureSize } = how.served;
  const bytes = bytesOfView(signature as Uint8Array);
  if (type === 'ed25519') return hasSmallOrder(bytes) ? undefined : how;
  const isAnySize = how.parameters === NONE && type !== 'rsa-pss';
  return isAnySize || sizeOf(bytes) === signatureSize ? how : undefined;
}

/** A Sign or Verify of Node's. */
interface NodeMessage {
  update(data: unknown, encoding?: unknown): unknown;
  sign(key: unknown, encoding?: unknown): unknown;
  verify(key: unknown, signature: unknown, encoding?: unknown): unknown;
}

/** Messages of more bytes are Node's: a key that only Node.js has needs the whole message. */
const MESSAGE_MAX = 65_536;

/**
 * Returns the class of messages that are signed or verified. They inherit from Node's prototype.
 * Whatever Node.js has to decide is handed to an object of Node's in the same state.
 */
function messageClass(
  name: 'createSign' | 'createVerify',
  { prototype }: { prototype: object },
): new (algorithm: string, options: unknown) => object {
  class Class {
    readonly #algorithm: string;
    #pieces: (string | Buffer)[] = [];
    #size = 0;
    /** Node's object, which has the message once it exists. */
    #theirs: NodeMessage | undefined;
    /** The key of a message that Millrace ended. */
    #endedBy: object | undefined;

    constructor(algorithm: string, options: unknown) {
      Reflect.apply(Writable as never, this, [options]);
      this.#algorithm = algorithm;
    }

    update(data: unknown, encoding?: unknown): this {
      if (this.#isOpen()) {
        if (isBytesView(data)) {
          this.#add(Buffer.from(bytesOfView(data)));
          return this;
        }
        if (typeof data === 'string' && (data.length % 2 === 0 || !isHex(encoding))) {
          const isWhole = this.#size === 0 && (!encoding || encoding === 'utf8');
          // The engine encodes a text that is the whole message.
          this.#add(isWhole ? data : textBytes(data, encoding));
          return this;
        }
      }
      this.#reference().update(data, encoding);
      return this;
    }

    sign(key: unknown, encoding?: unknown): unknown {
      const how = this.#isOpen() ? signing(this.#algorithm, readKey(key, true)) : undefined;
      const made = this.#end('Sign.sign', how, signParser) as Buffer | undefined;
      if (made === undefined) return this.#reference().sign(key, encoding);
      const signature = apart(made);
      return encoding && encoding !== 'buffer'
        ? signature.toString(encoding as BufferEncoding)
        : signature;
    }

    verify(key: unknown, signature: unknown, encoding?: unknown): unknown {
      const bytes = this.#isOpen() ? signatureBytes(signature, encoding) : undefined;
      const given = bytes === undefined ? undefined : readKey(key, false);
      const how = checked(signing(this.#algorithm, given), bytes);
      return (
        this.#end('Verify.verify', how, verifySignatureParser, bytes) ??
        this.#reference().verify(key, signature, encoding)
      );
    }

    _write(chunk: unknown, encoding: unknown, callback: () => void): void {
      this.update(chunk, encoding);
      callback();
    }

    #isOpen(): boolean {
      return this.#theirs === undefined && this.#endedBy === undefined;
    }

    #add(piece: string | Buffer): void {
      const { length } = piece;
      if (length === 0) return;
      const pieces = this.#pieces;
      if (typeof pieces[0] === 'string') pieces[0] = textBytes(pieces[0], 'utf8');
      pieces.push(piece);
      this.#size += length;
      if (this.#size > MESSAGE_MAX) this.#reference();
    }

    #message(): string | Buffer {
      const pieces = this.#pieces;
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces as Buffer[]);
    }

    /** Ends a message. Returns the result, undefined if Node.js has to decide. */
    #end(call: string, how: Signing | undefined, { fill }: Parser, signature?: unknown): unknown {
      const result = attempt(how?.served, () => {
        const { hash, served, parameters } = how!;
        const inputs = [hash, this.#message(), served.key];
        const given = signature ? [...inputs, signature, parameters] : [...inputs, parameters];
        return runSync(fill, given, given.length);
      });
      if (callLog.on) countCall(call, this.#algorithm, result !== undefined);
      if (result !== undefined) {
        this.#endedBy = how!.served.key;
        this.#pieces = [];
      }
      return result;
    }

    #reference(): NodeMessage {
      let theirs = this.#theirs;
      if (theirs !== undefined) return theirs;
      theirs = original[name](this.#algorithm) as unknown as NodeMessage;
      for (const piece of this.#pieces) theirs.update(piece);
      this.#pieces = [];
      const key = this.#endedBy;
      if (key !== undefined) {
        if (name === 'createSign') theirs.sign(key);
        else theirs.verify(key, Buffer.alloc(0));
      }
      return (this.#theirs = theirs);
    }
  }

  const own = Class.prototype as Partial<Class>;
  if (name === 'createSign') delete own.verify;
  else delete own.sign;
  for (const method of ['update', 'sign', 'verify', '_write'])
    if (Object.hasOwn(own, method)) Object.defineProperty(own, method, { enumerable: true });
  Object.defineProperty(own, 'constructor', {
    value: (prototype as { constructor: unknown }).constructor,
  });
  Object.setPrototypeOf(own, prototype);
  return Class;
}

const SIGNATURE_ENCODINGS = new Set<unknown>([undefined, 'hex', 'base64', 'base64url', 'latin1']);

/** Returns the bytes of a signature, undefined if Node.js has to decide on it. */
function signatureBytes(signature: unknown, encoding: unknown): Uint8Array | undefined {
  if (isBytesView(signature)) return bytesOfView(signature);
  return typeof signature === 'string' && SIGNATURE_ENCODINGS.has(encoding)
    ? Buffer.from(signature, encoding as BufferEncoding)
    : undefined;
}

const SignMessage = messageClass('createSign', original.Sign);
const VerifyMessage = messageClass('createVerify', original.Verify);

function isServed(algorithm: unknown): algorithm is string {
  return typeof algorithm === 'string' && hashes.find(algorithm) !== undefined;
}

/** Creates a message of Node's. */
function leaveMessage(
  name: 'createSign' | 'createVerify',
  algorithm: unknown,
  given: ArrayLike<unknown>,
): unknown {
  if (callLog.on) countCall(name, algorithm, false);
  return callNode(original[name], given);
}

export function createSign(algorithm: unknown, options?: unknown): unknown {
  if (isServed(algorithm)) return new SignMessage(algorithm, options);
  return leaveMessage('createSign', algorithm, arguments);
}

export function createVerify(algorithm: unknown, options?: unknown): unknown {
  if (isServed(algorithm)) return new VerifyMessage(algorithm, options);
  return leaveMessage('createVerify', algorithm, arguments);
}
