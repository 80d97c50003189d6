/** The operations of hashes: digests, HMAC, running ones, many messages, derivations. */
import { At, Operation, Status } from '../base/frame.js';
import { sizeOf } from '../base/intrinsics.js';
import { isMac } from '../base/operations.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { hashes } from '../catalog/catalog-table.js';
import type { HashFacts } from '../catalog/facts.js';
import { ofMessages } from './cost-model.js';
import { provide, type Needs, type Pause, type Steps } from './execute.js';
import { aligned, WINDOW } from './families/family.js';
import { into, PLAIN, type FamilyHash, type HashParams } from './families/hash.js';
import { hashDerivations } from './families/hash-derivations.js';
import { Hmac, prepareHmac, writeKeyStates, writeMac } from './families/hmac.js';
import { pbkdf2Steps, STEP } from './families/pbkdf2.js';
import type { PreparedKey } from './keys.js';
import { messageCount, messagesOf } from './messages.js';
import { everyRecipe } from './recipes.js';
import { made, NOTHING, overlap, part, refuse } from './windows.js';
import type { Work } from './work.js';

let implementations: readonly FamilyHash[] | undefined;

/** Returns a hash by its number. */
export function hashOf(algorithm: number): FamilyHash {
  implementations ??= everyRecipe().map(({ hash }) => hash);
  return implementations[algorithm] ?? refuse(Status.Argument);
}

/** Bytes of a message after which other events may be handled. */
const SLICE = 64 * 1024;

/** Entries of a block of parameters begin at multiples of this; such a block has one byte more. */
const ALIGN = 8;

/** Refuses a key, or a block of parameters, that a hash does not take. */
export function checkParams(algorithm: number, secret: Uint8Array): void {
  if (secret.length === 0) return;
  if (hashes[algorithm]!.parameters === null) refuse(Status.NotSupported);
  if (secret.length % ALIGN === 0 && secret.length !== 32) refuse(Status.KeySize);
}

/** Returns the parameters of a hash in the place of a key. */
function paramsOf({ algorithm, numbers, secret }: Work): HashParams {
  const seed = [numbers[At.SeedLow]!, numbers[At.SeedHigh]!] as const;
  if (hashes[algorithm]!.seedBits === 0 && seed[0] + seed[1] > 0) refuse(Status.NotSupported);
  checkParams(algorithm, secret);
  return { seed, secret, guard: undefined };
}

/** Returns the facts of a hash for HMAC. */
function macFacts(algorithm: number): HashFacts {
  const facts = hashes[algorithm]!;
  return facts.hmac ? facts : refuse(Status.NotSupported);
}

/** Returns the states of a prepared key of HMAC, made at first use. */
function statesOf(key: PreparedKey): Secret {
  if (key.states !== undefined) return key.states;
  const facts = macFacts(key.algorithm);
  const states = secretMemory(2 * facts.stateSize);
  writeKeyStates(hashOf(key.algorithm), facts, key.bytes, states);
  return (key.states = states);
}

/** Returns the HMAC of a prepared key. */
export function macOf(key: PreparedKey): Hmac {
  return new Hmac(hashOf(key.algorithm), macFacts(key.algorithm), statesOf(key));
}

/**
 * Returns the HMAC of a work, and true if it is to be disposed of: the key is prepared, bytes, or
 * in a work on a running HMAC states.
 */
function macFor({ algorithm, operation, key, purpose, secret }: Work): readonly [Hmac, boolean] {
  if (key !== undefined) return [macOf(key), false];
  const [hash, facts] = [hashOf(algorithm), macFacts(algorithm)];
  const running = operation === Operation.MacUpdate || operation === Operation.MacFinish;
  if (!running || purpose !== undefined) return [prepareHmac(hash, facts, secret), true];
  if (secret.length !== 2 * facts.stateSize) refuse(Status.State);
  return [new Hmac(hash, facts, secret as Secret), false];
}

/** A hash or an HMAC with its key. */
interface Hasher {
  update(state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  finish(state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  dispose?(): void;
}

/** Returns the hash or the HMAC of a work, and true if it is to be disposed of. */
function hasherOf(work: Work): readonly [Hasher, boolean] {
  if (isMac(work.operation)) return macFor(work);
  const [hash, params] = [hashOf(work.algorithm), paramsOf(work)];
  const hasher: Hasher = {
    update: (state, source, next) => hash.update(params, state, source, next),
    finish: (state, rest, target) => hash.finish(params, state, rest, target),
  };
  return [hasher, false];
}

/** Calls `use` with the hash or the HMAC of a work. */
function withHasher(work: Work, use: (hasher: Hasher) => void): Status {
  const [hasher, own] = hasherOf(work);
  try {
    use(hasher);
  } finally {
    if (own) hasher.dispose!();
  }
  return Status.Done;
}

/** Refuses a digest of another size than the hash and its parameters have. */
function checkTarget({ operation, algorithm, target, secret }: Work): void {
  if (isMac(operation)) {
    if (target.length !== macFacts(algorithm).digestSize) refuse(Status.OutputSize);
    return;
  }
  const { xof, digestSize } = hashes[algorithm]!;
  // With parameters the size is among them, where the module reads it.
  const fits = xof ? target.length > 0 : secret.length > 0 || target.length === digestSize;
  if (!fits) refuse(Status.OutputSize);
}

function run(work: Work, slowly: boolean): Status | Steps {
  const { operation, algorithm, source, target } = work;
  const hash = hashOf(algorithm);
  const slow = slowly && source.length > SLICE;
  switch (operation) {
    case Operation.Hash:
    case Operation.Hmac:
      checkTarget(work);
      if (slow) return inSlices(work);
      if (operation === Operation.Hash) hash.digest(paramsOf(work), source, target);
      else if (work.key === undefined)
        writeMac(hash, macFacts(algorithm), work.secret, source, target);
      else macOf(work.key).mac(source, target);
      return Status.Done;
    case Operation.Update:
    case Operation.MacUpdate:
      return slow ? inSlices(work) : withHasher(work, (hasher) => advance(work, hasher));
    case Operation.Finish:
    case Operation.MacFinish:
      checkTarget(work);
      if (slow) return inSlices(work);
      return withHasher(work, (hasher) => hasher.finish(work.aad, source, target));
    case Operation.Squeeze:
      squeeze(work, hash);
      return Status.Done;
    case Operation.MacBegin: {
      const facts = macFacts(algorithm);
      if (target.length !== 2 * facts.stateSize) refuse(Status.OutputSize);
      writeKeyStates(hash, facts, source, target);
      return Status.Done;
    }
    default: {
      const steps = many(work);
      return slowly ? steps : ended(steps);
    }
  }
}

/** Runs all steps. */
export function ended(steps: Steps): Status {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Adds the bytes before the source, and the source, to a running hash. */
function advance({ algorithm, aad, iv, source, target }: Work, hasher: Hasher): void {
  if (overlap(target, source) || overlap(target, iv)) refuse(Status.Overlap);
  if (target.length !== hashes[algorithm]!.stateSize) refuse(Status.OutputSize);
  if (iv.length === 0) return hasher.update(aad, source, target);
  hasher.update(aad, iv, target);
  if (source.length > 0) hasher.update(target, source, target);
}

/** Computes the next bytes of an extendable output; the next state goes to the tag. */
function squeeze(work: Work, hash: FamilyHash): void {
  const { aad, source, target, tag } = work;
  if (!hashes[work.algorithm]!.xof) refuse(Status.NotSupported);
  if (overlap(target, tag) || overlap(target, source) || overlap(tag, source))
    refuse(Status.Overlap);
  if (tag.length !== hashes[work.algorithm]!.stateSize) refuse(Status.OutputSize);
  const params = paramsOf(work);
  if (source.length === 0) return hash.squeeze!(params, aad, target, tag);
  const state = secretMemory(tag.length);
  try {
    hash.update(params, aad, source, state);
    hash.squeeze!(params, state, target, tag);
  } finally {
    wipe(state);
  }
}

/** Adds the source in slices to a message, and ends it unless this is an update. */
function* inSlices(work: Work): Steps {
  const { operation, algorithm, source, target } = work;
  const updates = operation === Operation.Update || operation === Operation.MacUpdate;
  const state = secretMemory(hashes[algorithm]!.stateSize);
  const [hasher, own] = hasherOf(work);
  let [next, at] = [work, 0];
  try {
    for (; at < source.length - (updates ? 0 : SLICE); at += SLICE) {
      const slice = part(source, at, Math.min(SLICE, source.length - at));
      advance({ ...next, source: slice, target: state }, hasher);
      next = { ...work, iv: NOTHING, aad: state };
      yield;
    }
    if (updates) target.set(state);
    else hasher.finish(next.aad, part(source, at, source.length - at), target);
    return Status.Done;
  } finally {
    if (own) hasher.dispose!();
    wipe(state);
  }
}

/** Writes the digests of messages, one after the other, each of `size` bytes. */
function writeDigests(
  hash: FamilyHash,
  { seed: [low, high], secret }: HashParams,
  messages: readonly Uint8Array[],
  size: number,
  target: Uint8Array,
): void {
  if (target.length === 0) return;
  const { family, id } = hash;
  family.open();
  const place = family.start;
  const result = aligned(place + secret.length);
  const window = aligned(result + size);
  family.reserve(window + WINDOW);
  const calls = family.open();
  const bytes = family.bytes();
  let [at, used] = [0, 0];
  family.end = 0;
  try {
    if (secret.length) bytes.set(secret, place);
    for (const message of messages) {
      const length = sizeOf(message);
      used = Math.max(used, length);
      if (length) bytes.set(message, window);
      calls.finish(id, 0, window, length, result, size, place, secret.length, low, high);
      into(part(target, at, size))(bytes, result, result + size);
      at += size;
    }
    family.end = bytes.length;
  } finally {
    hash.wipe(window + used, secret.length > 0);
  }
}

/** Hashes many messages. */
function* many(work: Work): Steps {
  const { operation, algorithm, target, source, views } = work;
  const count = messageCount(work);
  const mac = operation === Operation.HmacMany;
  if (mac) macFacts(algorithm);
  if (count === 0) return Status.Done;
  const size = target.length / count;
  if (!Number.isInteger(size)) return Status.OutputSize;
  checkTarget({ ...work, target: part(target, 0, size) });
  // A digest must not overwrite a message that has not been read.
  const apart = [source, work.iv, ...(views ?? [])].some((input) => overlap(input, target));
  const result = apart ? made(target.length) : target;
  const [keyed, own] = mac ? macFor(work) : [];
  const [hash, params] = [hashOf(algorithm), mac ? PLAIN : paramsOf(work)];
  let group: Uint8Array[] = [];
  let [done, bytes] = [0, 0];
  const flush = (): void => {
    writeDigests(hash, params, group, size, part(result, done * size, group.length * size));
    done += group.length;
    [group, bytes] = [[], 0];
  };
  try {
    for (const message of messagesOf(work)) {
      const short = keyed === undefined && message.length <= WINDOW;
      if (short) group.push(message);
      else {
        flush();
        const digest = part(result, done++ * size, size);
        if (keyed === undefined) hash.digest(params, message, digest);
        else keyed.mac(message, digest);
      }
      bytes += message.length;
      if (bytes < SLICE) continue;
      flush();
      yield;
    }
    flush();
  } finally {
    if (own) keyed!.dispose();
  }
  if (apart) {
    target.set(result);
    result.fill(0);
  }
  return Status.Done;
}

// derivations

function derivePbkdf2(work: Work, slowly: boolean, pause: Pause | undefined): Status | Steps {
  const { algorithm, numbers, secret, iv, target } = work;
  const facts = macFacts(algorithm);
  const { digestSize } = facts;
  const iterations = numbers[At.Count]!;
  if (target.length > digestSize * 0xffff_ffff) refuse(Status.OutputSize);
  const steps = pbkdf2Steps(hashOf(algorithm), facts, secret, iv, iterations, target);
  const reporting = derivation(steps, target.length / digestSize, iterations, pause);
  return slowly ? reporting : ended(reporting);
}

/** Runs the steps of so many blocks with so many iterations each, and reports between them. */
function* derivation(
  steps: Generator<void>,
  blocks: number,
  iterations: number,
  pause: Pause | undefined,
): Steps {
  const all = Math.ceil(blocks) * Math.ceil((iterations - 1) / STEP);
  let done = 0;
  for (const _ of steps) {
    if (pause?.(++done / all) === true) return Status.Cancelled;
    yield;
  }
  return Status.Done;
}

/** Checks the numbers of a derivation, and predicts its cost by the blocks that are compressed. */
function check({ operation, algorithm, numbers, target }: Work): Needs {
  const { blockSize, digestSize } = hashes[algorithm] ?? refuse(Status.NotSupported);
  const block = ofMessages(algorithm, blockSize, 1);
  const digests = Math.ceil(target.length / Math.max(1, digestSize));
  if (operation !== Operation.Pbkdf2) return { cost: 4 * block * (digests + 2), memory: 0 };
  const iterations = numbers[At.Count]!;
  if (!(iterations >= 1 && iterations <= 0xffff_ffff)) refuse(Status.Cost);
  return { cost: block * digests * (iterations + 2), memory: 0 };
}

/** Provides the operations of hashes, which every bundle has. */
export function provideDigests(): void {
  const families = ({ algorithm }: Work) => [hashOf(algorithm).family];
  provide(
    [
      Operation.Hash,
      Operation.Hmac,
      Operation.Update,
      Operation.Finish,
      Operation.Squeeze,
      Operation.MacUpdate,
      Operation.MacFinish,
      Operation.HashMany,
      Operation.HmacMany,
      Operation.MacBegin,
    ],
    { run, families },
  );
  provide([Operation.Pbkdf2], { run: derivePbkdf2, families, check });
  for (const [operation, derive] of hashDerivations) {
    const run = (work: Work) => {
      const facts = macFacts(work.algorithm);
      derive(hashOf(work.algorithm), facts, work);
      return Status.Done;
    };
    provide([operation], { run, families, check });
  }
}
