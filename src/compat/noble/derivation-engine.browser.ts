/**
 * Key derivation of millrace/noble-hashes: by the modules of scrypt and Argon2, and by those of
 * hashes. Asynchronous calls of the first two run on a worker of their own.
 */
import { derive, type DeriveCalls } from '../../portable/families/derivations.js';
import type { Family } from '../../portable/families/family.js';
import { hkdfExpand, hkdfExtract } from '../../portable/families/hkdf.js';
import { pbkdf2Steps } from '../../portable/families/pbkdf2.js';
import * as modules from '../../portable/family-modules.js';
import { NO_BYTES, part } from '../../base/intrinsics.js';
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import type { Algorithm } from './algorithms.browser.js';
import { nextTurn } from '../../base/runtime.browser.js';
import type { FreshBytes } from '../../base/platform-types.js';

/** A password or a salt; a string means its UTF-8 encoding. */
type Input = string | Uint8Array;

/** The cost of scrypt. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The parameters of Argon2. */
export interface Argon2Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly version: number;
  readonly secret: Input;
  readonly associatedData: Input;
}

/** Called with the fraction that is complete. */
export type Progress = ((fraction: number) => void) | undefined;

/** Inputs as bytes, and the memory of those that were strings. */
interface Inputs {
  readonly bytes: readonly Uint8Array[];
  readonly own: readonly Secret[];
}

function inputsOf(...given: readonly Input[]): Inputs {
  const own: Secret[] = [];
  const bytes = given.map((input) => {
    if (typeof input !== 'string') return input;
    // A UTF-16 unit becomes at most three bytes.
    const memory = secretMemory(3 * input.length);
    own.push(memory);
    return part(memory, 0, new TextEncoder().encodeInto(input, memory).written);
  });
  return { bytes, own };
}

function wipeInputs({ own }: Inputs): void {
  for (const memory of own) wipe(memory);
}

/** Derives with HKDF (RFC 5869). */
export function hkdf(
  algorithm: Algorithm,
  ikm: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  size: number,
): FreshBytes {
  const key = secretMemory(algorithm.digestSize);
  try {
    hkdfExtract(algorithm.hash, algorithm, ikm, salt, key);
    return expand(algorithm, key, info, size);
  } finally {
    wipe(key);
  }
}

/** Expands a uniform key with HKDF. */
export function expand(
  algorithm: Algorithm,
  key: Uint8Array,
  info: Uint8Array,
  size: number,
): FreshBytes {
  const target = secretMemory(size);
  hkdfExpand(algorithm.hash, algorithm, key, info, target);
  return target;
}

/** Derives with PBKDF2, and pauses between steps. */
function* pbkdf2Of(
  algorithm: Algorithm,
  password: Input,
  salt: Input,
  iterations: number,
  target: Uint8Array,
): Generator<void> {
  const inputs = inputsOf(password, salt);
  const [secret = NO_BYTES, other = NO_BYTES] = inputs.bytes;
  try {
    yield* pbkdf2Steps(algorithm.hash, algorithm, secret, other, iterations, target);
  } finally {
    wipeInputs(inputs);
  }
}

/** Derives with PBKDF2 (RFC 8018). */
export function pbkdf2(
  algorithm: Algorithm,
  password: Input,
  salt: Input,
  iterations: number,
  size: number,
): FreshBytes {
  const target = secretMemory(size);
  for (const _ of pbkdf2Of(algorithm, password, salt, iterations, target));
  return target;
}

/** Derives with PBKDF2, and gives way to other events after each `tick` milliseconds. */
export async function pbkdf2Later(
  algorithm: Algorithm,
  password: Input,
  salt: Input,
  iterations: number,
  size: number,
  tick: number,
): Promise<FreshBytes> {
  const target = secretMemory(size);
  let begin = Date.now();
  for (const _ of pbkdf2Of(algorithm, password, salt, iterations, target)) {
    const passed = Date.now() - begin;
    // The clock may have been set back.
    if (passed >= 0 && passed < tick) continue;
    await new Promise<void>((resolve) => nextTurn(resolve));
    begin = Date.now();
  }
  return target;
}

/** The arguments of {@link derive} but the target. */
interface Call {
  readonly family: Family<DeriveCalls>;
  readonly memory: number;
  readonly before: readonly number[];
  readonly inputs: Inputs;
  readonly after: readonly number[];
}

function scryptCall(password: Input, salt: Input, { N, r, p }: ScryptCost): Call {
  const memory = 128 * r * (N + p + 2);
  const inputs = inputsOf(password, salt);
  return { family: modules.scrypt, memory, before: [], inputs, after: [N, r, p] };
}

const kinds = ['argon2d', 'argon2i', 'argon2id'];

function argon2Call(algorithm: string, password: Input, salt: Input, cost: Argon2Cost): Call {
  const { memory, passes, parallelism, version, secret, associatedData } = cost;
  return {
    family: modules.argon2,
    memory: memory * 1024,
    before: [kinds.indexOf(algorithm), version, memory, passes, parallelism],
    inputs: inputsOf(password, salt, secret, associatedData),
    after: [],
  };
}

/** Derives with scrypt (RFC 7914). */
export function scrypt(password: Input, salt: Input, size: number, cost: ScryptCost): FreshBytes {
  return derived(scryptCall(password, salt, cost), size);
}

/** Derives with scrypt on a worker. */
export function scryptLater(
  password: Input,
  salt: Input,
  size: number,
  cost: ScryptCost,
  report: Progress,
): Promise<FreshBytes> {
  return derivedLater(scryptCall(password, salt, cost), size, report);
}

/** Derives with Argon2 (RFC 9106); `algorithm` is `argon2d`, `argon2i` or `argon2id`. */
export function argon2(
  algorithm: string,
  password: Input,
  salt: Input,
  size: number,
  cost: Argon2Cost,
): FreshBytes {
  return derived(argon2Call(algorithm, password, salt, cost), size);
}

/** Derives with Argon2 on a worker. */
export function argon2Later(
  algorithm: string,
  password: Input,
  salt: Input,
  size: number,
  cost: Argon2Cost,
  report: Progress,
): Promise<FreshBytes> {
  return derivedLater(argon2Call(algorithm, password, salt, cost), size, report);
}

function derived(
  { family, memory, before, inputs, after }: Call,
  size: number,
  report?: Progress,
): FreshBytes {
  const target = secretMemory(size);
  try {
    derive(family, memory, before, inputs.bytes, after, target, report);
  } finally {
    wipeInputs(inputs);
  }
  return target;
}

interface WebWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onmessageerror: (() => void) | null;
  onerror: ((event: { preventDefault?(): void }) => void) | null;
}

interface Place {
  readonly Worker?: new (url: string, options?: { readonly type: 'module' }) => WebWorker;
  readonly navigator?: { readonly hardwareConcurrency?: number };
  /** Deno's workers are all modules. */
  readonly Deno?: unknown;
}

/**
 * The program of a worker: `derive` of portable/families, without what a new instance does not
 * need. Posts fractions, then the key or null. The worker's end is the end of its memory.
 */
const program = `onmessage=({data:[module,before,inputs,after,size]})=>{try{
let at=0,given=[],next=0,{memory,derive,__heap_base:start}=new WebAssembly.Instance(module,
{javascript:{progress(done){let now=Date.now();if(done<1&&now>=next)next=now+20,postMessage(done)}}}).exports
let places=(at=start.value+15&-16,[...inputs,{length:size}].map(({length})=>{let place=at
at=Math.ceil((at+length)/16)*16;given.push(place,length);return place}))
let grow=Math.ceil((at-memory.buffer.byteLength)/65536)
if(grow>0)memory.grow(grow)
let bytes=new Uint8Array(memory.buffer)
inputs.forEach((input,index)=>bytes.set(input,places[index]))
let [result,length]=given.splice(-2)
postMessage(derive(...before,...given,...after,result,length)?null:
new Uint8Array(memory.buffer).slice(result,result+length))}catch{postMessage(null)}}`;

/** Derivations that wait for a worker. */
const waiting: (() => void)[] = [];
let running = 0;

/** Derives on a worker, or here, which blocks, if there are none or memory is short there. */
async function derivedLater(call: Call, size: number, report: Progress): Promise<FreshBytes> {
  const { Worker, navigator, Deno } = globalThis as Place;
  if (Worker !== undefined) {
    if (running >= (navigator?.hardwareConcurrency ?? 2))
      await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      const key = await onWorker(Worker, Deno !== undefined, call, size, report);
      if (key !== undefined) {
        wipeInputs(call.inputs);
        return key;
      }
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }
  await new Promise<void>((resolve) => nextTurn(resolve));
  const key = derived(call, size, report);
  report?.(1);
  return key;
}

let url: string | undefined;

/** Resolves to the key; to undefined if no worker has computed it. */
function onWorker(
  Worker: NonNullable<Place['Worker']>,
  modular: boolean,
  { family, before, inputs, after }: Call,
  size: number,
  report: Progress,
): Promise<FreshBytes | undefined> {
  const module = family.compile();
  if (typeof module === 'function') return Promise.resolve(undefined);
  let worker: WebWorker | undefined;
  const key = new Promise<FreshBytes | undefined>((resolve, reject) => {
    const lost = (): void => resolve(undefined);
    try {
      url ??= URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
      worker = modular ? new Worker(url, { type: 'module' }) : new Worker(url);
      worker.onmessageerror = lost;
      worker.onerror = (event) => {
        event.preventDefault?.();
        lost();
      };
      // Copies: a view would be sent with all of its buffer.
      const sent = inputs.bytes.map((input) => Uint8Array.from(input));
      worker.postMessage([module, before, sent, after, size]);
    } catch {
      // A policy of the page.
      return lost();
    }
    worker.onmessage = ({ data }) => {
      if (data === null) return lost();
      const done = data as number | FreshBytes;
      try {
        report?.(typeof done === 'number' ? done : 1);
      } catch (error) {
        reject(error as Error);
      }
      if (typeof done !== 'number') resolve(done);
    };
  });
  return key.finally(() => worker?.terminate());
}

declare const Blob: new (parts: readonly string[], options: { readonly type: string }) => object;
declare const URL: { createObjectURL(object: object): string };
declare const TextEncoder: new () => {
  encodeInto(text: string, target: Uint8Array): { readonly written: number };
};
