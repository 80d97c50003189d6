/**
 * C2SP chunked encryption, version 1 (https://c2sp.org/chunked-encryption): the parts and the keys
 * of a sealed message.
 *
 *   salt (24) || commitment (32) || sealed chunks
 *
 * Every chunk holds 16 KiB of the message, except the last, which is always shorter and may be
 * empty. The end is therefore recognizable, and no other chunk can pass for the last. Key, base
 * nonce and commitment are one HKDF-Expand of input key, salt and context; a chunk's nonce is the
 * base nonce XORed with the chunk's number. With SHA-512 the two AES algorithms are the
 * specification's Cobblestone-128 and Cobblestone-256.
 *
 * age's STREAM (folder age/) supports ChaCha20-Poly1305 only and does not commit to the key.
 */
import { NO_BYTES, data, joined, sizeOf } from '../base/arguments.js';
import { At, Flag, frame, Operation } from '../base/frame.js';
import { request, beginRequest, setAad, setEngines, setIv, setTarget } from '../request/request.js';
import { runPromise, runSync } from '../scheduling/run.js';
import { cipherFacts } from '../catalog/catalog.js';
import type { CipherFacts } from '../catalog/facts.js';
import { makeError, MillraceError } from '../base/errors.js';
import { localEngines } from '../engines/engines.js';
import {
  COMMITMENT_SIZE,
  ExpandingKey,
  SALT_SIZE,
  equalBytes,
} from '../operations/expanding-key.js';
import { cipherTarget, prepareKey } from '../operations/key.js';
import { keyEngines, type Key } from '../request/key.js';
import { secretResult } from '../base/secret-results.js';
import { allocateApart, utf8, type Buffer } from '#platform/base/runtime.js';
import { secretCopy, wipe, type Secret } from '../base/secret-memory.js';
import { native } from '../engines/binding.js';
import { Threads } from '../base/protocol.js';
import { provideCiphers } from '#platform/engines/parts.js';

provideCiphers();

export { SALT_SIZE, equalBytes };

/** Bytes of the message in every chunk but the last. */
export const CHUNK_SIZE = 16_384;
export const TAG_SIZE = 16;
export const SEALED_CHUNK_SIZE = CHUNK_SIZE + TAG_SIZE;
/** Salt and commitment. */
export const HEADER_SIZE = SALT_SIZE + COMMITMENT_SIZE;
/** The most chunks of a message: 4 PiB - 1 byte. */
export const CHUNKS_MAX = 2 ** 38;

/** Names in the IANA registry of AEADs, of the supported algorithms. */
const ianaNames: Readonly<Record<string, string>> = {
  __proto__: null as never,
  'aes-128-gcm': 'AEAD_AES_128_GCM',
  'aes-256-gcm': 'AEAD_AES_256_GCM',
  'chacha20-poly1305': 'AEAD_CHACHA20_POLY1305',
};

const LABEL = 'c2sp.org/chunked-encryption@v1+';

/** The key that message keys are derived from. {@link InputKey.dispose} wipes it. */
export class InputKey {
  readonly #facts: CipherFacts;
  readonly #context: Uint8Array;
  readonly #expanding: ExpandingKey;

  constructor(algorithm: unknown, key: unknown, context: unknown) {
    this.#facts = cipherFacts(algorithm);
    const { name } = this.#facts;
    if (ianaNames[name] === undefined) {
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `algorithm: streams are sealed with ${Object.keys(ianaNames).join(', ')}, not with ${name}`,
      );
    }
    // Copied: opening derives only when the salt has arrived.
    this.#context = secretCopy(context === undefined ? NO_BYTES : data(context, 'context'));
    this.#expanding = new ExpandingKey(this.#facts, key, 'sealed streams');
  }

  /** Returns the keys of the message with this salt. */
  derive(salt: Uint8Array): MessageKey {
    const { name, keySize, ivSize } = this.#facts;
    const size = keySize + ivSize + COMMITMENT_SIZE;
    const parts = [utf8(`${LABEL}${ianaNames[name]}\0`), salt, this.#context];
    const info = joined(parts, secretResult);
    const material = this.#expanding.expand(info, size);
    try {
      const at = keySize + ivSize;
      return new MessageKey(
        this.#facts,
        material.subarray(0, keySize),
        material.subarray(keySize, at),
        material.subarray(at, size),
      );
    } finally {
      wipe(material);
    }
  }

  /**
   * Returns bytes that only this key, algorithm and context give for `parts`, which have the sizes
   * that `purpose` determines.
   */
  bind(purpose: string, parts: readonly Uint8Array[], size: number): Uint8Array {
    const label = utf8(`millrace ${purpose}\0${ianaNames[this.#facts.name]}\0`);
    const material = this.#expanding.expand(
      joined([label, ...parts, this.#context], secretResult),
      size,
    );
    return material.subarray(0, size);
  }

  /** Wipes the key. */
  dispose(): void {
    this.#expanding.dispose();
  }
}

/** Returns the error for a header that the key does not commit to. */
export function notCommitted(): Error {
  return makeError(
    'ERR_AUTHENTICATION',
    'authentication failed: the stream was sealed with another key, algorithm or context, or ' +
      'its header was changed',
  );
}

/** The longest run: one native call for 64 chunks of 16 KiB, or 16 of 64 KiB. */
export const RUN_MAX_BYTES = 2 ** 20;
/**
 * The first run is short, so that small messages take little memory and output starts soon; each
 * run may be four times as long as the last.
 */
export const RUN_FIRST_BYTES = 2 ** 16;

/**
 * Returns the number of runs that keep all workers busy. More than 16 gain nothing: this thread
 * cannot copy faster.
 */
export const runsMax = (): number => Math.min(native.threads(Threads.Limit) + 1, 16);

/** Consecutive chunks for many runs. */
export interface ManyChunks {
  /** The number of the first. */
  readonly first: number;
  readonly count: number;
  /** The last of them is that of the message, and marked. */
  readonly last: boolean;
  /** Returns true if no further run is to begin. */
  readonly isOver: () => boolean;
}

/** The nonce of a chunk: a base with the chunk's number XORed into its end, and a suffix. */
export interface ChunkNonce {
  readonly base: Uint8Array;
  readonly suffix: Uint8Array;
}

/** Seals and opens runs of chunks. {@link ChunkKey.dispose} wipes the key. */
export abstract class ChunkKey {
  readonly #facts: CipherFacts;
  readonly #key: Key;
  /** Bytes of the message in a chunk. */
  readonly #chunkSize: number;

  constructor(facts: CipherFacts, key: Uint8Array, chunkSize: number) {
    this.#facts = facts;
    this.#key = prepareKey(cipherTarget(facts), key, localEngines(undefined, 'sealed streams'));
    this.#chunkSize = chunkSize;
  }

  /** Returns the nonce of chunk 0, or of the last one, if a format marks that. */
  protected abstract nonce(last: boolean): ChunkNonce;

  /**
   * Seals consecutive chunks on the pool; `first` is the number of the first. `source` is lent. A
   * run with the last chunk of a format that marks it has no other.
   */
  async seal(
    first: number,
    count: number,
    source: Uint8Array,
    last: boolean,
    target: Buffer = allocateApart(source.length + count * TAG_SIZE),
  ): Promise<Buffer> {
    await runPromise(
      undefined,
      () => this.#fill(Operation.SealChunks, last, first, count, source, target),
      [],
      0,
    );
    return target;
  }

  /**
   * Opens consecutive sealed chunks on the pool, as {@link ChunkKey.seal} seals them. Rejects with
   * ERR_AUTHENTICATION, which names the first chunk that was changed, unless all of them open.
   */
  async open(
    first: number,
    count: number,
    source: Uint8Array,
    last: boolean,
    target: Buffer = secretResult(source.length - count * TAG_SIZE),
  ): Promise<Buffer> {
    try {
      await runPromise(
        undefined,
        () => this.#fill(Operation.OpenChunks, last, first, count, source, target),
        [],
        0,
      );
    } catch (error) {
      if (!isChanged(error)) throw error;
      const bad = this.#firstBad(first, count, source, last);
      throw makeError(
        'ERR_AUTHENTICATION',
        `authentication failed: chunk ${bad} of the stream was changed or moved, or the stream ` +
          'was cut off in it',
      );
    }
    return target;
  }

  /**
   * Seals or opens many chunks in runs on all cores. `source` is lent, and may be longer. Resolves
   * when nothing is in flight; if a run fails, it wipes the target and rejects with the first error
   * by the order of the chunks.
   */
  async runs(
    way: 'seal' | 'open',
    { first, count, last, isOver }: ManyChunks,
    source: Uint8Array,
    target: Secret<Buffer>,
  ): Promise<void> {
    const growth = way === 'seal' ? TAG_SIZE : -TAG_SIZE;
    const size = way === 'seal' ? this.#chunkSize : this.#chunkSize + TAG_SIZE;
    const unmarked = last ? count - 1 : count;
    const lanes = runsMax();
    const length = Math.min(
      Math.max(Math.ceil(count / lanes), Math.round(RUN_FIRST_BYTES / size)),
      Math.round(RUN_MAX_BYTES / size),
    );
    let next = 0;
    let failed = Infinity;
    let failure: unknown;
    const lane = async (): Promise<void> => {
      while (next < count && failed === Infinity && !isOver()) {
        const from = next;
        next = from < unmarked ? Math.min(from + length, unmarked) : count;
        const [run, end] = [next - from, next * (size + growth)];
        const chunks = source.subarray(from * size, next * size);
        const output = target.subarray(from * (size + growth), end) as Buffer;
        try {
          await this[way](first + from, run, chunks, from >= unmarked, output);
        } catch (error) {
          if (from > failed) continue;
          failed = from;
          failure = error;
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (failed === Infinity && !isOver()) return;
    wipe(target);
    if (failed < Infinity) throw failure;
  }

  /** Seals chunk 0, the only one, synchronously. */
  sealOne(source: Uint8Array): Buffer {
    const target = allocateApart(source.length + TAG_SIZE);
    runSync(() => this.#fill(Operation.SealChunks, false, 0, 1, source, target), [], 0);
    return target;
  }

  /** Opens one chunk synchronously. Returns undefined if it is not authentic. */
  openOne(number: number, sealed: Uint8Array, last: boolean): Secret<Buffer> | undefined {
    const target = secretResult(sealed.length - TAG_SIZE);
    try {
      runSync(() => this.#fill(Operation.OpenChunks, last, number, 1, sealed, target), [], 0);
      return target;
    } catch (error) {
      if (isChanged(error)) return undefined;
      throw error;
    }
  }

  /** Returns the number of the first chunk that does not open, synchronously. */
  #firstBad(first: number, count: number, source: Uint8Array, last: boolean): number {
    const size = this.#chunkSize + TAG_SIZE;
    for (let index = 0; index < count; index++) {
      const chunk = source.subarray(index * size, (index + 1) * size);
      const opened = this.openOne(first + index, chunk, last);
      if (opened === undefined) return first + index;
      wipe(opened);
    }
    throw makeError('ERR_ENGINE', 'a run of chunks failed, but none of its chunks');
  }

  /** Fills one native call for many chunks: `run_chunks` in crates/request/src/cipher.rs. */
  #fill(
    operation: Operation,
    last: boolean,
    first: number,
    count: number,
    source: Uint8Array,
    target: Uint8Array,
  ): void {
    const { base, suffix } = this.nonce(last);
    const prepared = keyEngines(this.#key, this.#facts.name);
    beginRequest(operation, this.#facts.id, source, 0, sizeOf(source));
    setEngines(prepared);
    frame[At.SeedLow] = first >>> 0;
    frame[At.SeedHigh] = Math.floor(first / 2 ** 32);
    frame[At.Count] = count;
    frame[At.MessageSize] = this.#chunkSize;
    setIv(base, 0, sizeOf(base));
    setAad(suffix, 0, sizeOf(suffix));
    setTarget(target, 0, sizeOf(target));
    request.flags |= Flag.Fresh;
  }

  /** Wipes the key as soon as the runs in flight have used it. */
  dispose(): void {
    this.#key.dispose();
  }
}

/** The keys of one message. {@link ChunkKey.dispose} wipes them. */
export class MessageKey extends ChunkKey {
  readonly #nonce: ChunkNonce;
  /** Identifies this key; part of the header. */
  readonly commitment: Uint8Array;

  constructor(facts: CipherFacts, key: Uint8Array, baseNonce: Uint8Array, commitment: Uint8Array) {
    super(facts, key, CHUNK_SIZE);
    this.#nonce = { base: secretCopy(baseNonce), suffix: NO_BYTES };
    this.commitment = secretCopy(commitment);
  }

  /** Returns true if this is the committed key. */
  committed(commitment: Uint8Array): boolean {
    return equalBytes(this.commitment, commitment);
  }

  protected override nonce(): ChunkNonce {
    return this.#nonce;
  }
}

function isChanged(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'ERR_AUTHENTICATION';
}
