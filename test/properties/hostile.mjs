// Arguments that no caller in good faith passes. An arbitrary of fast-check describes one as plain
// data, so that failures shrink and can be repeated; `make` makes it anew for each call.

import fc from 'fast-check';

/** The error that the caller's getters, traps and conversions throw; it must pass unchanged. */
export class Thrown extends Error {}

/** Numbers of sizes and costs are small, or no memory has them: none makes a call slow. */
const number = fc.constantFrom(
  -1,
  -0,
  0,
  0.5,
  1,
  2,
  3,
  7,
  9,
  2 ** 53,
  2 ** 64,
  Infinity,
  -Infinity,
  NaN,
);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '__proto__', 'constructor', 'sha256', 'aes-256-gcm', 'hex', '\ud800', '\0'),
);

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
    arbitrary: fc.tuple(
      fc.constantFrom(
        'absent',
        'symbol',
        'function',
        'proxy',
        'throwing proxy',
        'lying proxy',
        'revoked proxy',
        'throwing getters',
        'inherited',
        'frozen',
        'detached',
        'detaching',
        'shrunk',
        'resizable',
        'shared',
        'lying subclass',
        'changed prototype',
        'wrapped',
        'other view',
        'array',
      ),
      fc.nat(),
    ),
  },
);

/** A path to a value below the arguments: one index, and the index of an option. */
export const change = fc.record({ at: fc.nat(5), option: fc.nat(9), by: replacement });

/**
 * Properties added to Object.prototype during a call; not `get`, with which Node makes no stream.
 */
export const pollution = fc.option(
  fc.record({
    name: fc.constantFrom(
      'key',
      'source',
      'target',
      'nonce',
      'aad',
      'encoding',
      'outputLength',
      'signal',
      'engine',
      'route',
      'size',
      'N',
      'length',
      'value',
      'then',
      'state',
      'seed',
      'secret',
      '0',
    ),
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

function isOptions(value) {
  return Object.getPrototypeOf(value ?? '') === Object.prototype;
}

/** Detaches the memory of a view. */
function detach(view) {
  try {
    structuredClone(view.buffer, { transfer: [view.buffer] });
  } catch {
    // Shared, or Node's own.
  }
}

const bytesOf = (value) => (Buffer.isBuffer(value) ? Uint8Array.from(value) : new Uint8Array(9));

function make([kind, value], original, others) {
  const object = typeof original === 'object' && original !== null ? original : {};
  const throws = () => {
    throw new Thrown(kind);
  };
  const traps = (each) =>
    Object.fromEntries(
      ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'].map((trap) => [
        trap,
        each(trap),
      ]),
    );
  switch (kind) {
    case 'value':
      return value;
    case 'absent':
      return undefined;
    case 'symbol':
      return Symbol(String(value));
    case 'function':
      return () => value;
    case 'proxy':
      return new Proxy(object, {});
    case 'throwing proxy':
      return new Proxy(
        object,
        traps(() => throws),
      );
    case 'lying proxy':
      return new Proxy(object, {
        get: (target, name) => (name === 'length' || name === 'byteLength' ? value : target[name]),
        getPrototypeOf: () => Uint8Array.prototype,
        has: () => true,
        ownKeys: () => ['key', 'key2'],
        getOwnPropertyDescriptor: () => ({ value, configurable: true, enumerable: true }),
      });
    case 'revoked proxy': {
      const { proxy, revoke } = Proxy.revocable(object, {});
      revoke();
      return proxy;
    }
    case 'throwing getters':
      return Object.defineProperties(
        {},
        Object.fromEntries(
          [...Object.keys(object).slice(0, 20), 'length'].map((name) => [
            name,
            { get: throws, enumerable: true, configurable: true },
          ]),
        ),
      );
    case 'inherited':
      return Object.create(object);
    case 'frozen':
      return ArrayBuffer.isView(object) ? object : Object.freeze({ ...object });
    case 'detached': {
      const bytes = bytesOf(original);
      detach(bytes);
      return bytes;
    }
    case 'detaching': {
      // Reads as the original, and takes away the memory of the other arguments.
      const act = () =>
        others.forEach((each) => ArrayBuffer.isView(each) && each !== original && detach(each));
      return new Proxy(object, {
        ...traps((trap) => (...given) => {
          act();
          return Reflect[trap](...given);
        }),
      });
    }
    case 'shrunk':
    case 'resizable': {
      const bytes = bytesOf(original);
      const memory = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length + 64 });
      const view = new Uint8Array(memory, 0, bytes.length);
      view.set(bytes);
      if (kind === 'shrunk') memory.resize(Math.floor(bytes.length / 2));
      return view;
    }
    case 'shared': {
      const bytes = bytesOf(original);
      const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
      view.set(bytes);
      return view;
    }
    case 'lying subclass':
      return new Lying(bytesOf(original));
    case 'changed prototype':
      return Object.setPrototypeOf(bytesOf(original), value % 2 === 0 ? null : Map.prototype);
    case 'wrapped':
      return Object(original ?? value);
    case 'other view': {
      const bytes = bytesOf(original);
      return value % 2 === 0
        ? new DataView(bytes.buffer)
        : new Uint16Array(bytes.buffer, 0, bytes.length >> 1);
    }
    case 'array':
      return [original, value];
    default:
      throw new RangeError(kind);
  }
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
