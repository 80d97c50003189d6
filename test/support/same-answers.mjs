// Compares the answers of a replaced package with those of the original.

import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';

/** Returns what a call gave: its result, or the class and message of its error. */
export function answerOf(call, self, given) {
  try {
    const result = Reflect.apply(call, self, given);
    return { result: shown(result) };
  } catch (error) {
    return { error: error.constructor.name, message: error.message };
  }
}

/** Returns a result as data: what a caller sees of bytes, points and signatures. */
function shown(value) {
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, constructor } = value;
    return [constructor.name, Buffer.from(buffer, byteOffset, value.byteLength).toString('hex')];
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value?.toHex === 'function')
    return [value.constructor.name, value.toHex(), value.recovery];
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.keys(value).map((name) => [name, shown(value[name])]));
}

/** Checks that both functions give the same answer. */
export function assertSame(original, ours, given, title) {
  const before = given.map(copied);
  assert.deepEqual(answerOf(ours, undefined, given), answerOf(original, undefined, given), title);
  assert.deepEqual(given.map(copied), before, `${title} changed its arguments`);
}

const copied = (value) => {
  try {
    return ArrayBuffer.isView(value) ? Buffer.from(Uint8Array.from(value)).toString('hex') : null;
  } catch {
    return 'lost';
  }
};

/** Returns arguments that a caller should not pass, some of them of this size. */
export function hostile(size) {
  const detached = new Uint8Array(size);
  structuredClone(detached, { transfer: [detached.buffer] });
  const offset = new Uint8Array(new ArrayBuffer(size + 3), 3);
  class Sub extends Uint8Array {}
  return [
    undefined,
    null,
    0,
    1n,
    true,
    '',
    'a'.repeat(2 * size),
    'g'.repeat(2 * size),
    `${'00'.repeat(size)}0`,
    {},
    [],
    Array.from({ length: size }, () => 1),
    () => {},
    new Proxy(new Uint8Array(size), {}),
    new Uint8Array(0),
    new Uint8Array(size + 1),
    new Uint8Array(Math.max(size - 1, 0)),
    new Uint16Array(size),
    new Uint8ClampedArray(size),
    new DataView(new ArrayBuffer(size)),
    new ArrayBuffer(size),
    Object.create(new Uint8Array(size)),
    runInNewContext(`new Uint8Array(${size})`),
    detached,
    offset,
    Buffer.alloc(size, 3),
    new Sub(size),
    new Uint8Array(new SharedArrayBuffer(size)),
  ];
}

/**
 * Compares the answers to good arguments in each of whose places a hostile one stands, and to too
 * few and too many arguments.
 */
export function assertSameHostile(original, ours, good, title) {
  for (const [place, value] of good.entries())
    for (const bad of hostile(ArrayBuffer.isView(value) ? value.length : 32)) {
      const given = good.with?.(place, bad) ?? Object.assign([...good], { [place]: bad });
      assertSame(original, ours, given, `${title}, argument ${place}`);
    }
  for (let count = 0; count < good.length; count++)
    assertSame(original, ours, good.slice(0, count), `${title}, ${count} arguments`);
  assertSame(original, ours, [...good, undefined], `${title} and undefined`);
}
