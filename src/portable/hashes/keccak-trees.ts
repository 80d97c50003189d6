/**
 * ParallelHash (NIST SP 800-185) and KangarooTwelve (RFC 9861): chunks of a message are hashed
 * apart, and their chaining values are the message of the root.
 *
 * A state is that of the root, the lanes of the current leaf, and the bytes absorbed into leaves;
 * for KangarooTwelve also the bytes of the first chunk.
 */
import { leftEncode, lengthEncode, rightEncode } from '../../catalog/integers.js';
import { numberIn, parameterIn } from '../../catalog/parameters.js';
import { StateError, type HashParams } from './contract.js';
import { Duplex, DUPLEX_STATE } from './duplex.js';
import { checkBlank, checkSize, LENGTH_BITS } from './fields.js';
import { SHAKE, SpongeHash, TURBO_ROUNDS } from './keccak.js';
import { absorbPadded, CSHAKE } from './sp800-185.js';

const TREE_STATE = DUPLEX_STATE + 200 + 8;

/** The bytes of KangarooTwelve's chunks, and of ParallelHash's blocks by default. */
const CHUNK = 8192;

/** A root over leaves of one size. */
abstract class TreeHash extends SpongeHash {
  protected readonly leaf: Duplex;
  protected readonly value: Uint8Array;
  readonly #mark: number;
  /** Bytes of a leaf. */
  protected size = CHUNK;
  /** Bytes absorbed into leaves. */
  protected length = 0n;

  constructor(rate: number, rounds: number, value: number, mark: number, xof: boolean) {
    super(rate, rounds, xof);
    this.leaf = new Duplex(rate, rounds);
    this.value = new Uint8Array(value);
    this.#mark = mark;
  }

  protected override begin(_params: HashParams): void {
    this.root.begin();
    this.leaf.begin();
    this.length = 0n;
  }

  /** Absorbs bytes into leaves, and the chaining values of those that are full into the root. */
  protected absorbLeaves(source: Uint8Array): void {
    const { size } = this;
    let filled = Number(this.length % BigInt(size));
    for (let from = 0; from < source.length;) {
      const end = Math.min(source.length, from + size - filled);
      this.leaf.absorb(source.subarray(from, end));
      filled += end - from;
      from = end;
      if (filled === size) {
        this.#endLeaf();
        filled = 0;
      }
    }
    this.length += BigInt(source.length);
  }

  /** Ends the last leaf, if it has begun, and returns the number of leaves. */
  protected endLeaves(): bigint {
    const size = BigInt(this.size);
    if (this.length % size > 0n) this.#endLeaf();
    return (this.length + size - 1n) / size;
  }

  #endLeaf(): void {
    this.leaf.pad(this.#mark);
    this.leaf.give(this.value);
    this.root.absorb(this.value);
    this.leaf.begin();
  }

  protected override save(next: Uint8Array): void {
    this.root.save(next);
    this.leaf.writeLanes(next.subarray(DUPLEX_STATE));
    viewOf(next).setBigUint64(DUPLEX_STATE + 200, this.length, true);
  }

  /** Loads a state; subclasses check the root's place. */
  protected override load(_params: HashParams, state: Uint8Array, xof: boolean): void {
    checkSize(state, TREE_STATE);
    this.root.load(state.subarray(0, DUPLEX_STATE), xof);
    this.length = viewOf(state).getBigUint64(DUPLEX_STATE + 200, true);
    if (this.length > 1n << BigInt(LENGTH_BITS)) throw new StateError();
    if (this.root.squeezing && this.length > 0n) throw new StateError();
    const filled = Number(this.length % BigInt(this.size));
    if (filled === 0) checkBlank(state, DUPLEX_STATE, DUPLEX_STATE + 200);
    this.leaf.begin();
    this.leaf.readLanes(state.subarray(DUPLEX_STATE, DUPLEX_STATE + 200));
    this.leaf.at = filled % this.leaf.rate;
  }

  /** Throws unless the root is where it is after this many bytes and the full leaves. */
  protected checkPlace(begun: number): void {
    const values = (this.length / BigInt(this.size)) * BigInt(this.value.length);
    const place = (BigInt(begun) + values) % BigInt(this.root.rate);
    if (!this.root.squeezing && BigInt(this.root.at) !== place) throw new StateError();
  }

  protected override wipe(): void {
    this.root.wipe();
    this.leaf.wipe();
    this.value.fill(0);
  }
}

const PARALLEL_HASH = /* @__PURE__ */ Uint8Array.from('ParallelHash', (letter) =>
  letter.charCodeAt(0),
);

export class ParallelHash extends TreeHash {
  constructor(rate: number, value: number, xof: boolean) {
    super(rate, 24, value, SHAKE, xof);
  }

  protected override begin(params: HashParams): void {
    super.begin(params);
    this.size = numberIn(params.parameters, 'blockSize') ?? CHUNK;
    const customization = parameterIn(params.parameters, 'customization') ?? new Uint8Array(0);
    absorbPadded(this.root, [PARALLEL_HASH, customization]);
    this.root.absorb(leftEncode(this.size));
  }

  protected override load(params: HashParams, state: Uint8Array, xof: boolean): void {
    this.size = numberIn(params.parameters, 'blockSize') ?? CHUNK;
    super.load(params, state, xof);
    this.checkPlace(leftEncode(this.size).length);
  }

  protected override absorb(source: Uint8Array): void {
    this.absorbLeaves(source);
  }

  protected override end(_params: HashParams, bits: number): void {
    this.root.absorb(rightEncode(this.endLeaves()));
    this.root.absorb(rightEncode(bits));
    this.root.pad(CSHAKE);
    this.length = 0n;
  }
}

/** The final bytes of a single chunk, of the root of a tree, and of a leaf. */
const SINGLE = 0x07;
const ROOT = 0x06;
const LEAF = 0x0b;

/** What follows the first chunk in the root of a tree, and what ends the root. */
const TREE = /* @__PURE__ */ Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0);
const END = /* @__PURE__ */ Uint8Array.of(0xff, 0xff);

/** KangarooTwelve. The hashed string is the message, the customization and its length. */
export class KangarooTwelve extends TreeHash {
  /** Bytes of the first chunk. {@link TREE} has been absorbed if there are more. */
  #first = 0;

  constructor(rate: number, value: number) {
    super(rate, TURBO_ROUNDS, value, LEAF, true);
  }

  protected override begin(params: HashParams): void {
    super.begin(params);
    this.#first = 0;
  }

  protected override save(next: Uint8Array): void {
    super.save(next);
    viewOf(next).setBigUint64(TREE_STATE, BigInt(this.#first), true);
  }

  protected override load(params: HashParams, state: Uint8Array, xof: boolean): void {
    checkSize(state, TREE_STATE + 8);
    super.load(params, state.subarray(0, TREE_STATE), xof);
    const first = viewOf(state).getBigUint64(TREE_STATE, true);
    const tree = this.length > 0n;
    const valid = this.root.squeezing ? first === 0n : first <= CHUNK;
    if (!valid || (tree && first !== BigInt(CHUNK))) throw new StateError();
    this.#first = Number(first);
    this.checkPlace(this.#first + (tree ? TREE.length : 0));
  }

  protected override absorb(source: Uint8Array): void {
    const first = source.subarray(0, CHUNK - this.#first);
    this.root.absorb(first);
    this.#first += first.length;
    if (first.length === source.length) return;
    if (this.length === 0n) this.root.absorb(TREE);
    this.absorbLeaves(source.subarray(first.length));
  }

  protected override end({ parameters }: HashParams): void {
    const customization = parameterIn(parameters, 'customization') ?? new Uint8Array(0);
    this.absorb(customization);
    this.absorb(lengthEncode(customization.length));
    if (this.length === 0n) {
      this.root.pad(SINGLE);
    } else {
      this.root.absorb(lengthEncode(this.endLeaves()));
      this.root.absorb(END);
      this.root.pad(ROOT);
    }
    this.length = 0n;
    this.#first = 0;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
