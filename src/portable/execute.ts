/**
 * Runs one operation in an instance of the module, on the caller's thread or in a worker. The bytes
 * of a call are copied into the module's memory, the result out of it, and the copies are wiped. A
 * long message passes through a window of that memory, whatever its size.
 */
import { At, Flag, Operation, Purpose, Status } from '../base/frame.js';
import { derivesSecret, isChunks, isCipher, isMany, makesTag } from '../base/operations.js';
import { hashes as catalog } from '../catalog/catalog-table.js';
import { ARENA, Instance, WINDOW } from './instance.js';
import { joined, messageCount, messagesOf } from './messages.js';
import { made, NOTHING, overlap, part, Refusal, refuse } from './windows.js';
import type { Work } from './work.js';

/** Runs an operation and returns its status. */
export function perform(work: Work, instance: Instance): Status {
  if (work.purpose === undefined && isShort(work)) {
    try {
      return atOnce(work, instance);
    } catch (error) {
      return statusOf(error);
    }
  }
  const steps = inSteps(work, instance);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs an operation; yields between the windows of a long message, where the event loop may run.
 * Nothing else may use the instance meanwhile.
 */
export function* inSteps(work: Work, instance: Instance): Generator<undefined, Status, undefined> {
  try {
    return yield* withKey(work, instance, (keyed) => steps(keyed, instance));
  } catch (error) {
    return statusOf(error);
  }
}

/** V8 says "Array buffer allocation failed", other engines "out of memory". */
const memoryWords = ['alloc', 'memory', 'length'];

/** Returns the status of a thrown value. */
export function statusOf(error: unknown): Status {
  if (error instanceof Refusal) return error.status;
  // No expression: V8 ends the process if it must compile one where the stack is exhausted.
  const of = (word: string): boolean => (error as Error).message.toLowerCase().includes(word);
  return error instanceof RangeError && memoryWords.some(of) ? Status.Memory : Status.Internal;
}

type Steps = Generator<undefined, Status, undefined>;

/** Runs work with the bytes of a prepared key as with the key itself. */
function* withKey(work: Work, instance: Instance, run: (work: Work) => Steps): Steps {
  const { purpose, algorithm, secret } = work;
  if (purpose === undefined) return yield* run(work);
  const handle = createKey(instance, purpose, algorithm, secret);
  try {
    return yield* run({ ...work, handle, purpose: undefined, secret: NOTHING });
  } finally {
    disposeKey(instance, handle);
  }
}

/** Returns true if all of a work is in the arena at once. */
function isShort({ operation, source }: Work): boolean {
  if (isMany(operation)) return false;
  return source.length <= WINDOW || isChunks(operation) || derivesSecret(operation);
}

function* steps(work: Work, instance: Instance): Steps {
  const { operation, source, target } = work;
  if (isMany(operation)) return yield* many(work, instance);
  if (isShort(work)) return atOnce(work, instance);
  if (!isCipher(operation)) return yield* hashInWindows(work, instance);
  return source.length === target.length ? yield* inParts(work, instance) : Status.Argument;
}

// keys

/** Prepares a key; returns its handle. */
export function createKey(
  instance: Instance,
  purpose: Purpose,
  algorithm: number,
  bytes: Uint8Array,
): number {
  const place = instance.reserve(bytes.length);
  instance.memory.set(bytes, place);
  try {
    return accepted(instance.calls.create_key(purpose, algorithm, bytes.length));
  } finally {
    instance.wipe(bytes.length);
  }
}

/** Wipes a key. Returns false if it was disposed before. */
export function disposeKey(instance: Instance, handle: number): boolean {
  instance.numbers[At.Key] = handle;
  return instance.calls.dispose_key() === 1;
}

/** Returns a number of the module unless it is a status; refuses with the status otherwise. */
export function accepted(number: number): number {
  return number >= 0 ? number : refuse(-number);
}

// in one piece

/** The ranges of a call in the arena. */
interface Places {
  readonly secret: number;
  readonly iv: number;
  readonly aad: number;
  readonly tag: number;
  readonly source: number;
  readonly target: number;
  readonly size: number;
}

/**
 * Copies the inputs of a call to the arena, before so many bytes of room. Inputs that overlap the
 * target do so in the arena too: what the call may do with them is the module's to decide.
 */
export function place(work: Work, instance: Instance, room = 0): Places {
  const { secret, iv, aad, tag, source, target } = work;
  const inputs = [secret, iv, aad, tag, source];
  const begin = target.byteOffset;
  const end = begin + target.length;
  // Nothing overlaps a target made for the result. Reading the buffer of a view takes as long as
  // copying a short one.
  const apart = begin === end || (work.numbers[At.Flags]! & Flag.Fresh) !== 0;
  const buffer = apart ? undefined : target.buffer;
  // The first and the last byte of the target and all that overlaps it.
  let [from, to, over] = [begin, end, 0];
  for (let index = 0; index < inputs.length; index++) {
    const input = inputs[index]!;
    if (apart || input.length === 0 || input.buffer !== buffer) continue;
    const last = input.byteOffset + input.length;
    if (input.byteOffset >= end || begin >= last) continue;
    over |= 1 << index;
    from = Math.min(from, input.byteOffset);
    to = Math.max(to, last);
  }
  let size = to - from;
  const places = [0, 0, 0, 0, 0];
  for (let index = 0; index < inputs.length; index++) {
    const { byteOffset, length } = inputs[index]!;
    const overlaps = (over & (1 << index)) !== 0;
    places[index] = overlaps ? byteOffset - from : size;
    if (!overlaps) size += length;
  }
  const arena = instance.reserve(size + room);
  const { memory } = instance;
  for (let index = 0; index < inputs.length; index++) {
    const input = inputs[index]!;
    if (input.length > 0) memory.set(input, arena + places[index]!);
  }
  return {
    secret: places[0]!,
    iv: places[1]!,
    aad: places[2]!,
    tag: places[3]!,
    source: places[4]!,
    target: begin - from,
    size,
  };
}

/** Writes the numbers of a call with its memory in the arena. */
export function writeNumbers(work: Work, places: Places, instance: Instance): Float64Array {
  const { numbers } = instance;
  const { secret, iv, aad, tag, source, target, handle } = work;
  numbers.set(work.numbers);
  numbers[At.Operation] = inModule(work.operation);
  numbers[At.Slot] = -1;
  numbers[At.Engine] = 0;
  numbers[At.Key] = handle;
  numbers[At.Flags] =
    Flag.HasTarget |
    (secret.length > 0 ? Flag.HasKey : 0) |
    Flag.HasIv |
    Flag.HasAad |
    (tag.length > 0 ? Flag.HasTag : 0) |
    (work.numbers[At.Flags]! & (Flag.HasSizes | Flag.Progress));
  numbers[At.KeyOffset] = places.secret;
  numbers[At.KeySize] = secret.length;
  numbers[At.IvOffset] = places.iv;
  numbers[At.IvSize] = iv.length;
  numbers[At.AadOffset] = places.aad;
  numbers[At.AadSize] = aad.length;
  numbers[At.TagOffset] = places.tag;
  numbers[At.TagSize] = tag.length;
  numbers[At.SourceOffset] = places.source;
  numbers[At.SourceSize] = source.length;
  numbers[At.TargetOffset] = places.target;
  numbers[At.TargetSize] = target.length;
  return numbers;
}

/** Returns the operation in the module, where the tag is always separate from the text. */
function inModule(operation: Operation): Operation {
  if (operation === Operation.Seal) return Operation.Encrypt;
  return operation === Operation.Open ? Operation.Decrypt : operation;
}

/** How much longer than predicted a password hash may take, and milliseconds for other load. */
const TIME_FACTOR = 2;
const TIME_FLOOR_MS = 1000;

/** Returns the milliseconds that an operation may take; checking a password hash has a limit. */
export function timeLimit({ operation, numbers }: Work): number {
  const milliseconds = numbers[At.MaxTime]!;
  return operation === Operation.Verify && milliseconds > 0
    ? TIME_FACTOR * milliseconds + TIME_FLOOR_MS
    : Infinity;
}

/**
 * Checks a derivation before it is queued. Returns its predicted nanoseconds, and the bytes of
 * memory that it needs; refuses one of more than `limit` bytes, unless that is 0.
 */
export function checkDerivation(
  work: Work,
  instance: Instance,
  limit: number,
): { readonly cost: number; readonly memory: number } {
  const places = place(work, instance);
  try {
    const numbers = writeNumbers(work, places, instance);
    instance.calls.set_derivation_memory(limit);
    const status = instance.calls.check();
    const memory = numbers[At.MaxMemory]!;
    if (status !== Status.Done) {
      work.numbers[At.MaxMemory] = memory;
      refuse(status);
    }
    return { cost: numbers[At.Cost]!, memory };
  } finally {
    instance.wipe(places.size);
  }
}

function atOnce(work: Work, instance: Instance, wipes = true): Status {
  const { operation, tag, target } = work;
  if (operation === Operation.Squeeze && overlap(tag, work.source)) return Status.Overlap;
  const places = place(work, instance);
  try {
    writeNumbers(work, places, instance);
    const status = instance.calls.run();
    const arena = instance.reserve(places.size);
    const { memory, numbers } = instance;
    work.numbers[At.MaxMemory] = numbers[At.MaxMemory]!;
    // A text that is not authentic has left zeros.
    if (status !== Status.Done && status !== Status.Authentication) return status;
    copyOut(memory, arena + places.target, target);
    if (makesTag(operation) || operation === Operation.Squeeze)
      copyOut(memory, arena + places.tag, tag);
    return status;
  } finally {
    if (wipes) instance.wipe(places.size);
  }
}

/** Up to this many bytes are copied one by one, which is faster than by a view. */
const FEW = 64;

function copyOut(memory: Uint8Array, from: number, target: Uint8Array): void {
  const { length } = target;
  if (length > FEW) target.set(part(memory, from, length));
  else for (let index = 0; index < length; index++) target[index] = memory[from + index]!;
}

// long messages

/** Encrypts or decrypts a text of the target's size in windows. */
function* inParts(work: Work, instance: Instance): Steps {
  const { operation, tag, target } = work;
  let { source } = work;
  const size = source.length;
  const inputs = { ...work, source: NOTHING, target: NOTHING };
  const places = place(inputs, instance, WINDOW);
  const { calls } = instance;
  let [status, begun] = [Status.Internal, false];
  try {
    writeNumbers(inputs, places, instance);
    // Nothing is written to memory that other threads can read before it is authenticated.
    const passes = accepted(calls.begin_parts(size, Number(isShared(target))));
    begun = true;
    if (overlap(source, target)) {
      if (source.byteOffset !== target.byteOffset) target.set(source);
      source = target;
    }
    const arena = instance.reserve(0);
    for (let pass = 0; pass < passes; pass++) {
      for (let at = 0; at < size; at += WINDOW) {
        const length = Math.min(WINDOW, size - at);
        instance.memory.set(part(source, at, length), arena + places.size);
        const written = accepted(calls.run_part(pass, at, places.size, length));
        if (written === 1) target.set(part(instance.memory, arena + places.size, length), at);
        yield;
      }
      status = calls.end_pass(pass);
      if (status !== Status.Done) return status;
    }
    if (makesTag(operation)) copyOut(instance.memory, arena + places.tag, tag);
    return status;
  } catch (error) {
    return (status = statusOf(error));
  } finally {
    // A call that is refused at its start leaves the target unchanged.
    if (begun && status !== Status.Done) target.fill(0);
    calls.end_parts();
    instance.wipe(places.size + WINDOW);
  }
}

function isShared({ buffer }: Uint8Array): boolean {
  return typeof SharedArrayBuffer === 'function' && buffer instanceof SharedArrayBuffer;
}

/** Hashes a source in windows, from a state of the hash to the next. */
function* hashInWindows(work: Work, instance: Instance): Steps {
  const { operation, algorithm, source, handle } = work;
  const { stateSize } = catalog[algorithm]!;
  const mac =
    operation === Operation.Hmac ||
    operation === Operation.MacUpdate ||
    operation === Operation.MacFinish;
  if (operation === Operation.Hmac && handle === 0)
    return yield* withKey({ ...work, purpose: Purpose.Mac }, instance, (keyed) =>
      hashInWindows(keyed, instance),
    );
  const updates = operation === Operation.Update || operation === Operation.MacUpdate;
  if (updates && (overlap(work.target, source) || overlap(work.target, work.iv)))
    return Status.Overlap;
  if (updates && work.target.length !== stateSize) return Status.OutputSize;
  const state = made(stateSize);
  let [next, at] = [{ ...work, operation: mac ? Operation.MacUpdate : Operation.Update }, 0];
  try {
    // A finish takes the last window.
    for (; at < source.length - (updates ? 0 : WINDOW); at += WINDOW) {
      const window = part(source, at, Math.min(WINDOW, source.length - at));
      const status = atOnce({ ...next, source: window, target: state }, instance, false);
      if (status !== Status.Done) return status;
      next = { ...next, iv: NOTHING, aad: state };
      yield;
    }
    if (updates) {
      work.target.set(state);
      return Status.Done;
    }
    const finish = mac ? Operation.MacFinish : Operation.Finish;
    return atOnce(
      {
        ...next,
        operation: finish,
        source: part(source, at, source.length - at),
        target: work.target,
      },
      instance,
    );
  } finally {
    // The next window has overwritten each but the last.
    instance.wipe(ARENA);
    state.fill(0);
  }
}

/** Hashes many messages in groups that fit in a window. */
function* many(work: Work, instance: Instance): Steps {
  const { operation, target, handle, source, views } = work;
  const mac = operation === Operation.HmacMany;
  const count = messageCount(work);
  if (count === 0) return Status.Done;
  if (mac && handle === 0) {
    if (!catalog[work.algorithm]!.hmac) return Status.NotSupported;
    return yield* withKey({ ...work, purpose: Purpose.Mac }, instance, (keyed) =>
      many(keyed, instance),
    );
  }
  const size = target.length / count;
  if (!Number.isInteger(size)) return Status.OutputSize;
  // A digest must not overwrite a message that has not been read.
  const apart = [source, work.iv, ...(views ?? [])].some((input) => overlap(input, target));
  const result = apart ? made(target.length) : target;
  let group: Uint8Array[] = [];
  let [bytes, done] = [0, 0];
  const flush = (): Status => {
    if (group.length === 0) return Status.Done;
    const digests = part(result, done * size, group.length * size);
    done += group.length;
    const status = atOnce({ ...joined(work, group), target: digests }, instance);
    [group, bytes] = [[], 0];
    return status;
  };
  for (const message of messagesOf(work)) {
    let status = Status.Done;
    if (message.length > WINDOW || bytes + message.length > WINDOW) {
      status = flush();
      yield;
    }
    if (status === Status.Done && message.length > WINDOW) {
      const one = { ...work, operation: mac ? Operation.Hmac : Operation.Hash, views: undefined };
      const digest = part(result, done++ * size, size);
      status = yield* hashInWindows(
        { ...one, iv: NOTHING, source: message, target: digest },
        instance,
      );
    } else {
      group.push(message);
      bytes += message.length;
    }
    if (status !== Status.Done) return status;
  }
  const status = flush();
  if (status === Status.Done && apart) target.set(result);
  return status;
}
