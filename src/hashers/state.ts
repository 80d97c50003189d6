/**
 * The exported state of a hasher: a header that names algorithm, key and seed, and the bytes of
 * native code's state.
 *
 *   bytes  content (numbers little-endian)
 *   4      "MRHS"
 *   1      version, 1
 *   1      kind: 0 a hash, 1 a keyed hash, 2 an HMAC
 *   1      1 if output has been taken, else 0
 *   1      size of the name
 *   8      bytes of the message so far
 *   8      seed
 *   8      check of key and parameters: the start of a digest with them; zero without any
 *   n      the algorithm's standard name
 *   m      the state; nothing before the first byte of the message
 *   8      XXH3-64 of all preceding bytes
 *
 * No state reveals a key (crates/core/src/hash/hasher.rs says what each reveals). Those of KMAC,
 * and of HMACs over hashes that are not one-way, would, and are neither exported nor imported.
 */
import { bytes } from '../base/arguments.js';
import { Operation } from '../base/frame.js';
import { WHOLE } from '../base/protocol.js';
import { beginRequest, setResult, Form } from '../request/request.js';
import { runFilled } from '../scheduling/run.js';
import { findHash } from '../catalog/catalog.js';
import { base } from '../engines/engines.js';
import { makeError } from '../base/errors.js';
import { secretCopy, wipe } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { utf8, type Buffer } from '#platform/base/runtime.js';
import { fastBuffer } from '../operations/fast-path.js';
import { macTarget } from '../operations/key.js';
import { Running } from './running.js';
import { Phase } from '../scheduling/steps.js';
import { handleOf, setKeyAndSeed, type HashSetup } from './setup.js';

const MAGIC = 'MRHS';
const MAGIC_SIZE = 4;
const VERSION = 1;

const enum Kind {
  Hash,
  Keyed,
  Hmac,
}

const kindNames = ['a hash', 'a keyed hash', 'an HMAC'];

const enum At {
  Version = 4,
  Kind = 5,
  Output = 6,
  NameSize = 7,
  Length = 8,
  SeedLow = 16,
  SeedHigh = 20,
  Check = 24,
  Name = 32,
}

const CHECK_SIZE = 8;
const SUM_SIZE = 8;

/** Returns true if the key can be computed from a state. */
function revealsKey({ facts, mac }: HashSetup): boolean {
  return (mac || facts.keyRequired) && !facts.oneWay;
}

function shownName({ facts, mac }: HashSetup): string {
  return mac ? macTarget(facts).name : facts.name;
}

/** Returns the state of a hasher for {@link importState}. Throws ERR_STATE if there is none. */
export function exportState(running: Running): Buffer {
  if (revealsKey(running))
    throw makeError(
      'ERR_STATE',
      `exportState: the key could be computed from the state of ${shownName(running)}; use an ` +
        'HMAC over SHA-2, or keyed BLAKE2 or BLAKE3',
    );
  const { facts, seedLow, seedHigh, length, phase } = running;
  const state = running.save();
  const name = facts.name;
  // Zeroed, and in a separate ArrayBuffer: memory that results share is visible to all code.
  const blob = secretResult(At.Name + name.length + state.length + SUM_SIZE);
  const numbers = numbersOf(blob);
  blob.set(utf8(MAGIC));
  blob[At.Version] = VERSION;
  blob[At.Kind] = kindOf(running);
  blob[At.Output] = phase === Phase.Squeezing ? 1 : 0;
  blob[At.NameSize] = name.length;
  numbers.setBigUint64(At.Length, BigInt(length), true);
  numbers.setUint32(At.SeedLow, seedLow, true);
  numbers.setUint32(At.SeedHigh, seedHigh, true);
  blob.set(keyCheck(running), At.Check);
  blob.set(utf8(name), At.Name);
  blob.set(state, At.Name + name.length);
  if (running.keyed) wipe(state);
  blob.set(sum(blob), blob.length - SUM_SIZE);
  return blob;
}

/**
 * Returns a running hash that resumes from an exported state. Throws ERR_STATE if algorithm, key or
 * a given seed differ; without a given seed the state's seed applies.
 */
export function importState(value: unknown, setup: HashSetup, seeded: boolean): Running {
  if (revealsKey(setup)) throw refusal(`${shownName(setup)} exports none`);
  const view = bytes(value, 'options.state');
  // A copy, so that the bytes used are the bytes checked.
  const blob = secretCopy(view);
  const numbers = numbersOf(blob);
  const { facts } = setup;
  if (blob.length < At.Name + SUM_SIZE || nameIn(blob, 0, MAGIC_SIZE) !== MAGIC)
    throw refusal('it is not the state of a hasher');
  if (blob[At.Version] !== VERSION)
    throw refusal(`it is of version ${blob[At.Version]}, and this is version ${VERSION}`);
  if (!same(sum(blob), blob.subarray(blob.length - SUM_SIZE))) throw refusal('it is damaged');
  const nameEnd = At.Name + blob[At.NameSize]!;
  const name = nameIn(blob, At.Name, nameEnd);
  const [kind, wanted] = [blob[At.Kind]!, kindOf(setup)];
  if (name !== facts.name) {
    const known = findHash(name) === undefined ? 'an algorithm unknown here' : name;
    throw refusal(`it belongs to ${known}, not to ${facts.name}`);
  }
  if (kind !== wanted)
    throw refusal(
      `it belongs to ${kindNames.at(kind) ?? 'something unknown'}, not to ${kindNames[wanted]}`,
    );
  const [seedLow, seedHigh] = [
    numbers.getUint32(At.SeedLow, true),
    numbers.getUint32(At.SeedHigh, true),
  ];
  if (seeded && (seedLow !== setup.seedLow || seedHigh !== setup.seedHigh))
    throw refusal('it was made with another seed');
  if (!same(keyCheck(setup), blob.subarray(At.Check, At.Check + CHECK_SIZE)))
    throw refusal('it was made with another key, or other parameters');
  const state = blob.subarray(nameEnd, blob.length - SUM_SIZE);
  const output = blob[At.Output]!;
  const length = numbers.getBigUint64(At.Length, true);
  const seed = (BigInt(seedHigh) << 32n) | BigInt(seedLow);
  const begun = length > 0n || output > 0;
  const fits =
    state.length === (begun ? facts.stateSize : 0) &&
    output <= (facts.xof ? 1 : 0) &&
    length <= Number.MAX_SAFE_INTEGER &&
    seed >> BigInt(facts.seedBits) === 0n;
  if (!fits) throw refusal('its parts do not fit together');
  const running = new Running(
    facts,
    setup.mac,
    setup.key,
    seedLow,
    seedHigh,
    setup.size,
    setup.preference,
    setup.keyBytes,
  );
  if (begun) running.restore(state, Number(length), output === 1 ? Phase.Squeezing : Phase.Open);
  if (running.keyed) wipe(blob);
  return running;
}

function refusal(reason: string): Error {
  return makeError('ERR_STATE', `options.state cannot be resumed: ${reason}`);
}

function kindOf({ mac, key }: HashSetup): Kind {
  if (mac) return Kind.Hmac;
  return key === undefined ? Kind.Hash : Kind.Keyed;
}

/** The size of the key check's digest, if the hash has more than one. */
const CHECKED_SIZE = 32;

/** The message of the key check: its MAC identifies key and parameters without revealing them. */
const CHECKED = utf8('Millrace hasher state: check of the key');

function keyCheck(setup: HashSetup): Uint8Array {
  const { key, keyBytes, mac } = setup;
  if (key === undefined && keyBytes === undefined) return new Uint8Array(CHECK_SIZE);
  const handle = handleOf(setup);
  const operation =
    mac && keyBytes !== undefined ? Operation.MacFinish : mac ? Operation.Hmac : Operation.Hash;
  beginRequest(operation, setup.facts.id, CHECKED, 0, CHECKED.length);
  setKeyAndSeed(setup, handle);
  setResult(setup.facts.xof ? CHECKED_SIZE : setup.size, Form.Buffer);
  const check = new Uint8Array(CHECK_SIZE);
  check.set((runFilled() as Buffer).subarray(0, CHECK_SIZE));
  return check;
}

function sum(blob: Uint8Array): Uint8Array {
  return fastBuffer(
    findHash('xxh3-64')!,
    blob.subarray(0, blob.length - SUM_SIZE),
    0,
    WHOLE,
    0,
    base,
  )!;
}

function numbersOf(blob: Uint8Array): DataView {
  return new DataView(blob.buffer, blob.byteOffset, blob.length);
}

/** Returns one character for each byte: names are ASCII, and other bytes match none. */
function nameIn(blob: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...blob.subarray(start, end));
}

/** Compares checksums and key checks, but not secrets. */
function same(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
