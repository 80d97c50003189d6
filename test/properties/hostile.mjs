// Arguments that no caller in good faith passes. An arbitrary of fast-check describes one as plain
// data, so that failures shrink and can be repeated; `make` makes it anew for each call.

import fc from 'fast-check';

import { isOptions } from '../support/calls.mjs';

/** The error that the caller's getters, traps and conversions throw; it must pass unchanged. */
export class Thrown extends Error {}

/** Numbers of sizes and costs are small, or no memory has them: none makes a call slow. */
const NUMBERS = [-1, -0, 0, 0.5, 1, 2, 3, 7, 9, 2 ** 53, 2 ** 64, Infinity, -Infinity, NaN];
const number = fc.constantFrom(...NUMBERS);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '__proto__', 'constructor', 'sha256', 'aes-256-gcm', 'hex', '\ud800', '\0'),
);

/** Detaches the memory of a view. */
function detach(view) {
  try {
    structuredClone(view.buffer, { transfer: [view.buffer] });
  } catch {
    // Shared, or Node's own.
  }
}

const throwing = (kind) => () => {
  throw new Thrown(kind);
};

const traps = (each) =>
  Object.fromEntries(
    ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'].map((trap) => [
      trap,
      each(trap),
    ]),
  );

/** Makes memory that can be resized, with a view of the bytes. */
function resizable(bytes) {
  const memory = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length + 64 });
  const view = new Uint8Array(memory, 0, bytes.length);
  view.set(bytes);
  return { memory, view };
}

/** What takes the place of an argument, by its kind. */
const makers = {
  absent: () => undefined,
  symbol: ({ value }) => Symbol(String(value)),
  function:
    ({ value }) =>
    () =>
      value,
  proxy: ({ object }) => new Proxy(object, {}),
  'throwing proxy': ({ kind, object }) =>
    new Proxy(
      object,
      traps(() => throwing(kind)),
    ),
  'lying proxy': ({ value, object }) =>
    new Proxy(object, {
      get: (target, name) => (name === 'length' || name === 'byteLength' ? value : target[name]),
      getPrototypeOf: () => Uint8Array.prototype,
      has: () => true,
      ownKeys: () => ['key', 'key2'],
      getOwnPropertyDescriptor: () => ({ value, configurable: true, enumerable: true }),
    }),
  'revoked proxy'({ object }) {
    const { proxy, revoke } = Proxy.revocable(object, {});
    revoke();
    return proxy;
  },
  'throwing getters'({ kind, object }) {
    const names = [...Object.keys(object).slice(0, 20), 'length'];
    const getter = { get: throwing(kind), enumerable: true, configurable: true };
    return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, getter])));
  },
  inherited: ({ object }) => Object.create(object),
  frozen: ({ object }) => (ArrayBuffer.isView(object) ? object : Object.freeze({ ...object })),
  detached({ bytes }) {
    detach(bytes);
    return bytes;
  },
  // Reads as the original, and takes away the memory of the other arguments.
  detaching: ({ original, object, others }) =>
    new Proxy(
      object,
      traps((trap) => (...given) => {
        for (const each of others) if (ArrayBuffer.isView(each) && each !== original) detach(each);
        return Reflect[trap](...given);
      }),
    ),
  shrunk({ bytes }) {
    const { memory, view } = resizable(bytes);
    memory.resize(Math.floor(memory.byteLength / 2));
    return view;
  },
  resizable: ({ bytes }) => resizable(bytes).view,
  shared({ bytes }) {
    const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
    view.set(bytes);
    return view;
  },
  'lying subclass': ({ bytes }) => new Lying(bytes),
  'changed prototype': ({ value, bytes }) =>
    Object.setPrototypeOf(bytes, value % 2 === 0 ? null : Map.prototype),
  wrapped: ({ value, original }) => Object(original ?? value),
  'other view'({ value, bytes: { buffer, length } }) {
    return value % 2 === 0 ? new DataView(buffer) : new Uint16Array(buffer, 0, length >> 1);
  },
  array: ({ value, original }) => [original, value],
};

/** The replacement of an argument or an option. */
const replacement = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant('value'), fc.oneof(number, text, fc.boolean())) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('value'),
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSparseArray: true,
        withTypedArray: true,
        maxDepth: 1,
        maxKeys: 3,
        values: [number, text, fc.boolean(), fc.constantFrom(null, undefined)],
      }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys(makers)), fc.nat()),
  },
);

/** A path to a value below the arguments: one index, and the index of an option. */
export const change = fc.record({ at: fc.nat(5), option: fc.nat(9), by: replacement });

const names = [
  'key source target nonce aad encoding outputLength signal engine route size N length value then',
  'state seed secret 0',
].flatMap((each) => each.split(' '));

/**
 * Properties added to Object.prototype during a call; not `get`, with which Node makes no stream.
 */
export const pollution = fc.option(
  fc.record({
    name: fc.constantFrom(...names),
    value: fc.oneof(number, text),
  }),
  { freq: 8 },
);

/** Returns the arguments with the changes made. */
export function changed(args, changes) {
  const result = [...args];
  const whole = new Set();
  for (const { at, option, by } of changes) {
    const index = args.length === 0 ? 0 : at % args.length;
    if (whole.has(index)) continue;
    const names = isOptions(args[index]) ? Object.keys(args[index]) : [];
    if (names.length > 0 && option < 2 * names.length) {
      const name = names[option % names.length];
      const options = { ...result[index] };
      const others = [...args, ...Object.values(args[index])];
      options[name] = make(by, args[index][name], others);
      if (by[0] === 'absent') delete options[name];
      result[index] = options;
    } else {
      whole.add(index);
      result[index] = make(by, result[index], args);
    }
  }
  return result;
}

function make([kind, value], original, others) {
  const object = typeof original === 'object' && original !== null ? original : {};
  const bytes = Buffer.isBuffer(original) ? Uint8Array.from(original) : new Uint8Array(9);
  return kind === 'value' ? value : makers[kind]({ kind, value, original, object, bytes, others });
}

/** Says that it has other bytes than it has. */
class Lying extends Uint8Array {
  get length() {
    return 2 ** 31;
  }
  get byteLength() {
    return 0;
  }
  get byteOffset() {
    return -1;
  }
  get buffer() {
    return new ArrayBuffer(0);
  }
  subarray() {
    return this;
  }
  fill() {
    throw new Thrown('fill');
  }
  set() {}
  static get [Symbol.species]() {
    throw new Thrown('species');
  }
  [Symbol.iterator]() {
    throw new Thrown('iterator');
  }
}
