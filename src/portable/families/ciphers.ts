/** Ciphers of families' modules. Texts pass through windows of the memory and change there. */
import { NO_BYTES } from '../../base/intrinsics.js';
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { Status } from '../../base/protocol.js';
import { refuse } from '../windows.js';
import { WINDOW, within, type Family } from './family.js';

/** The function of a module with a stream cipher. */
export interface StreamCalls {
  apply(
    key: number,
    keySize: number,
    iv: number,
    offset: number,
    text: number,
    size: number,
  ): number;
}

/** Encrypts or decrypts a text that begins `offset` bytes into the keystream. */
export function applyStream(
  family: Family<StreamCalls>,
  key: Uint8Array,
  iv: Uint8Array,
  source: Uint8Array,
  target: Uint8Array,
  offset = 0,
): void {
  if (source.length === 0) return;
  within(family, [key, iv], (calls, [first = 0, second = 0, place = 0]) =>
    pass(family, place, source, target, (at, size) =>
      calls.apply(first, key.length, second, offset + at, place, size),
    ),
  );
}

/** The functions of a module with an AEAD. */
export interface AeadCalls {
  /** Returns the bytes of a message. */
  size(): number;
  begin(
    message: number,
    key: number,
    keySize: number,
    nonce: number,
    nonceSize: number,
    aad: number,
    aadSize: number,
  ): number;
  seal(message: number, text: number, size: number): number;
  open(message: number, text: number, size: number, tag: number, tagSize: number): number;
  tag(message: number, tag: number, size: number): number;
  verify(message: number, tag: number, size: number): number;
  /** The second pass of AES-GCM-SIV. */
  encrypt?(message: number, offset: number, text: number, size: number, tag: number): number;
}

/** What begins a message: key, nonce and additional data. */
export type AeadInputs = readonly [key: Uint8Array, nonce: Uint8Array, aad: Uint8Array];

/** An AEAD. With the bytes of a message under the same key, `kept`, the key is not read. */
export class FamilyAead {
  constructor(readonly family: Family<AeadCalls>) {}

  /** Encrypts and writes the first `tag.length` bytes of the tag. */
  seal(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
    kept?: Uint8Array,
  ): void {
    const { family } = this;
    this.#run([key, nonce, aad], tag, kept, (calls, message, place, text) => {
      const { encrypt } = calls;
      pass(family, text, source, encrypt === undefined ? target : undefined, (_, size) =>
        calls.seal(message, text, size),
      );
      calls.tag(message, place, tag.length);
      if (encrypt !== undefined)
        pass(family, text, source, target, (at, size) => encrypt(message, at, text, size, place));
      // Its place may be that of the source.
      tag.set(family.bytes().subarray(place, place + tag.length));
    });
  }

  /**
   * Decrypts, and returns true if the tag is right; otherwise the target is zero. Without a target
   * it checks the tag.
   */
  open(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array | undefined,
    tag: Uint8Array,
    kept?: Uint8Array,
  ): boolean {
    return this.#run([key, nonce, aad], tag, kept, (calls, message, place, text) => {
      pass(this.family, text, source, target, (_, size) =>
        calls.open(message, text, size, place, tag.length),
      );
      const right = calls.verify(message, place, tag.length) === 0;
      if (!right) target?.fill(0);
      return right;
    });
  }

  #run<Result>(
    [key, nonce, aad]: AeadInputs,
    tag: Uint8Array,
    kept: Uint8Array | undefined,
    work: (calls: AeadCalls, message: number, tag: number, text: number) => Result,
  ): Result {
    const { family } = this;
    const secret = kept === undefined ? key : NO_BYTES;
    return within(
      family,
      [kept ?? roomOf(family), secret, nonce, aad, tag],
      (calls, [message = 0, first = 0, second = 0, third = 0, fourth = 0, text = 0]) => {
        if (calls.begin(message, first, secret.length, second, nonce.length, third, aad.length))
          refuse(Status.Engine);
        return work(calls, message, fourth, text);
      },
    );
  }
}

/** Rooms for messages, by their size. */
const rooms = /* @__PURE__ */ new Map<Family<AeadCalls>, Uint8Array>();

/** Returns zeros, as many as a message has bytes. */
function roomOf(family: Family<AeadCalls>): Uint8Array {
  let room = rooms.get(family);
  if (room === undefined) rooms.set(family, (room = new Uint8Array(family.open().size())));
  return room;
}

/** A message that arrives in pieces of any size; its bytes are kept here between calls. */
export class RunningAead {
  readonly #family: Family<AeadCalls>;
  readonly #bytes: Secret;

  constructor(family: Family<AeadCalls>, inputs?: AeadInputs) {
    this.#family = family;
    this.#bytes = secretMemory(roomOf(family).length);
    if (inputs === undefined) return;
    const [key, nonce, aad] = inputs;
    this.#run(inputs, (calls, message, [first = 0, second = 0, third = 0]) => {
      if (calls.begin(message, first, key.length, second, nonce.length, third, aad.length))
        refuse(Status.Engine);
    });
  }

  /** Returns an independent copy. */
  copy(): RunningAead {
    const copy = new RunningAead(this.#family);
    copy.#bytes.set(this.#bytes);
    return copy;
  }

  /** Encrypts the next piece; of AES-GCM-SIV it only authenticates. */
  seal(source: Uint8Array, target: Uint8Array | undefined): void {
    this.#run([], (calls, message, [text = 0]) =>
      pass(this.#family, text, source, target, (_, size) => calls.seal(message, text, size)),
    );
  }

  /** Decrypts the next piece, authentic or not, of the message with this tag. */
  open(source: Uint8Array, target: Uint8Array | undefined, tag: Uint8Array): void {
    this.#run([tag], (calls, message, [place = 0, text = 0]) =>
      pass(this.#family, text, source, target, (_, size) =>
        calls.open(message, text, size, place, tag.length),
      ),
    );
  }

  /** Encrypts the piece of AES-GCM-SIV at an offset, after the tag was made. */
  encrypt(offset: number, source: Uint8Array, target: Uint8Array, tag: Uint8Array): void {
    this.#run([tag], (calls, message, [place = 0, text = 0]) =>
      pass(this.#family, text, source, target, (at, size) =>
        calls.encrypt!(message, offset + at, text, size, place),
      ),
    );
  }

  /** Writes the tag, or its first bytes. */
  tag(tag: Uint8Array): void {
    this.#run([tag], (calls, message, [place = 0]) => {
      if (calls.tag(message, place, tag.length)) refuse(Status.Engine);
      tag.set(this.#family.bytes().subarray(place, place + tag.length));
    });
  }

  /** Returns true if the tag is right. */
  verify(tag: Uint8Array): boolean {
    return this.#run(
      [tag],
      (calls, message, [place = 0]) => calls.verify(message, place, tag.length) === 0,
    );
  }

  /** Returns the bytes of the message, which are then the caller's. */
  take(): Secret {
    return this.#bytes;
  }

  /** Wipes the message. */
  dispose(): void {
    wipe(this.#bytes);
  }

  /** Calls `work` with the message and inputs in the module's memory. */
  #run<Result>(
    inputs: readonly Uint8Array[],
    work: (calls: AeadCalls, message: number, places: readonly number[]) => Result,
  ): Result {
    const family = this.#family;
    return within(family, [this.#bytes, ...inputs], (calls, [message = 0, ...places]) => {
      const result = work(calls, message, places);
      this.#bytes.set(family.bytes().subarray(message, message + this.#bytes.length));
      return result;
    });
  }
}

/**
 * Passes a text through the window that begins at a place, and copies what `each` made of it to the
 * target.
 */
function pass(
  family: Family<object>,
  place: number,
  source: Uint8Array,
  target: Uint8Array | undefined,
  each: (at: number, size: number) => number,
): void {
  for (let at = 0; at < source.length; at += WINDOW) {
    const size = Math.min(WINDOW, source.length - at);
    family.used = Math.max(family.used, size);
    family.bytes().set(source.subarray(at, at + size), place);
    if (each(at, size)) refuse(Status.Engine);
    target?.set(family.bytes().subarray(place, place + size), at);
  }
}
