// Calls an engine's binding with asymmetric keys: the frame is written by hand.

import { frameIndexes as at, numbersOf, statusNumbers } from '../../tools/protocol.mjs';

export const algorithms = numbersOf('PublicKeyAlgorithm');
export const forms = numbersOf('KeyForm');
export const schemes = numbersOf('SignatureScheme');
export const NO_HASH = 255;

const operations = numbersOf('Operation');
const statusNames = Object.keys(statusNumbers);
const flags = { target: 1, aad: 4, tag: 8 };
const NONE = new Uint8Array(0);

/** An engine and its frame. A status other than `Done` is thrown by its name. */
export class KeyEngine {
  constructor(native, frame) {
    this.native = native;
    this.frame = frame;
  }

  /** Runs an operation, in a job if there is a slot. Returns the target. */
  run(operation, { size = 0, numbers = {}, key, source = NONE, aad, tag, slot = -1 }) {
    const { frame } = this;
    const target = new Uint8Array(size);
    frame.fill(0);
    frame[at.Operation] = operations[operation];
    frame[at.Slot] = slot;
    frame[at.Key] = key;
    frame[at.Flags] = flags.target | (aad && flags.aad) | (tag && flags.tag);
    frame[at.SourceSize] = source.length;
    frame[at.TargetSize] = size;
    frame[at.AadSize] = aad?.length ?? 0;
    frame[at.TagSize] = tag?.length ?? 0;
    for (const [name, number] of Object.entries(numbers)) frame[at[name]] = number;
    check(this.native.run(source, target, undefined, aad, tag, undefined));
    return target;
  }

  generate(algorithm) {
    const key = this.native.reserveKey();
    const numbers = { Algorithm: algorithm, SeedLow: NO_HASH, SeedHigh: NO_HASH };
    this.run('GenerateKey', { key, numbers });
    return key;
  }

  import(form, source, algorithm = 0) {
    const key = this.native.reserveKey();
    this.run('ImportKey', { key, source, numbers: { Count: form, Algorithm: algorithm } });
    return key;
  }

  export(key, form) {
    this.#name(key);
    const size = checked(this.native.exportKey(form, NONE));
    const target = new Uint8Array(size);
    checked(this.native.exportKey(form, target));
    return target;
  }

  publicKeyOf(key) {
    this.#name(key);
    return checked(this.native.publicKeyOf());
  }

  describe(key) {
    this.#name(key);
    check(this.native.describeKey());
    const names = ['Algorithm', 'Count', 'MessageSize', 'SeedLow', 'SeedHigh', 'MaxTime'];
    return names.map((name) => this.frame[at[name]]);
  }

  dispose(key) {
    this.#name(key);
    return this.native.disposeKey();
  }

  /** Signs by the numbers of a scheme; cuts a padded signature. */
  sign(key, source, scheme, size, more = {}) {
    const { aad, digest = false, ...others } = more;
    const numbers = { ...scheme, SeedLow: Number(digest) };
    const target = this.run('Sign', { key, source, aad, numbers, size, ...others });
    if (scheme.Count !== schemes.EcdsaDer) return target;
    return target.subarray(0, target[size - 2] + 256 * target[size - 1]);
  }

  verify(key, source, scheme, tag, { aad, digest = false } = {}) {
    const numbers = { ...scheme, SeedLow: Number(digest) };
    return this.run('VerifySignature', { key, source, aad, tag, numbers, size: 1 })[0] === 1;
  }

  agree(key, peer, size = 32) {
    return this.run('Agree', { key, numbers: { Count: peer }, size });
  }

  #name(key) {
    this.frame.fill(0);
    this.frame[at.Key] = key;
  }
}

function check(status) {
  if (status !== statusNumbers.Done) throw new Error(statusNames[status] ?? `status ${status}`);
}

function checked(number) {
  if (number < 0) check(-number);
  return number;
}
