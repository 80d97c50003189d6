/**
 * MD5 followed by SHA-1 of the same message, as signed by TLS 1.0. A state has the words of both
 * and their common fields once.
 */
import { StateError, type HashParams, type PortableHash } from './contract.js';
import { checkSize } from './fields.js';

const MD5_WORDS = 16;
const SHA1_WORDS = 20;
/** Length and buffer. */
const SHARED = 8 + 64;
const STATE = MD5_WORDS + SHA1_WORDS + SHARED;

export class Md5Sha1 implements PortableHash {
  readonly #md5: PortableHash;
  readonly #sha1: PortableHash;
  readonly #md5State = new Uint8Array(MD5_WORDS + SHARED);
  readonly #sha1State = new Uint8Array(SHA1_WORDS + SHARED);

  constructor(md5: PortableHash, sha1: PortableHash) {
    this.#md5 = md5;
    this.#sha1 = sha1;
  }

  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    const digests = new Uint8Array(36);
    this.#md5.digest(params, source, digests.subarray(0, 16));
    this.#sha1.digest(params, source, digests.subarray(16));
    target.set(digests);
  }

  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    const [md5, sha1] = this.#parts(state);
    this.#md5.update(params, md5, source, this.#md5State);
    this.#sha1.update(params, sha1, source, this.#sha1State);
    next.set(this.#md5State.subarray(0, MD5_WORDS));
    next.set(this.#sha1State, MD5_WORDS);
    this.#clean();
  }

  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    const [md5, sha1] = this.#parts(state);
    const digests = new Uint8Array(36);
    this.#md5.finish(params, md5, rest, digests.subarray(0, 16));
    this.#sha1.finish(params, sha1, rest, digests.subarray(16));
    target.set(digests);
    this.#clean();
  }

  check(params: HashParams, state: Uint8Array): void {
    if (state.length === 0) throw new StateError();
    this.#md5.check(params, this.#parts(state)[0]);
    this.#clean();
  }

  #parts(state: Uint8Array): [md5: Uint8Array, sha1: Uint8Array] {
    if (state.length === 0) return [state, state];
    checkSize(state, STATE);
    this.#md5State.set(state.subarray(0, MD5_WORDS));
    this.#md5State.set(state.subarray(MD5_WORDS + SHA1_WORDS), MD5_WORDS);
    this.#sha1State.set(state.subarray(MD5_WORDS));
    return [this.#md5State, this.#sha1State];
  }

  #clean(): void {
    this.#md5State.fill(0);
    this.#sha1State.fill(0);
  }
}
