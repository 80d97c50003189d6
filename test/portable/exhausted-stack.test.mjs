// Calls that exhaust the stack within WebAssembly: the instance is lost, and the next call runs in
// a new one. Each test exhausts the stack many times, at another depth each time.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { portableCalls } from '../support/portable-calls.mjs';

/** Calls of modules that threw. */
let traps = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = function makeInstance(...given) {
  const { exports } = new Instance(...given);
  const counted = Object.entries(exports).map(([name, call]) => [
    name,
    typeof call !== 'function'
      ? call
      : (...numbers) => {
          try {
            return call(...numbers);
          } catch (error) {
            traps++;
            throw error;
          }
        },
  ]);
  return { exports: Object.fromEntries(counted) };
};

process.env.MILLRACE_ENGINE = 'portable';
const { default: millrace } = await import('millrace');
const functions = await import('millrace/portable');

const key = Buffer.alloc(32, 5);
const nonce = Buffer.alloc(12, 3);
const source = Buffer.alloc(1000, 'message');
const long = Buffer.alloc(70_000, 'message');

/**
 * Makes the call in the deepest frames that the stack has room for. Compiled code needs less stack
 * than the module, so that it gets there.
 */
function exhaust(call) {
  for (let warm = 0; warm < 300; warm++) call();
  let calls = 0;
  const descend = () => {
    try {
      descend();
    } catch {
      // The deepest frame.
    }
    if (calls++ >= 1000) return;
    try {
      call();
    } catch {
      // Here, or within the call.
    }
  };
  descend();
}

const calls = portableCalls({ millrace, functions, key, nonce, message: source, long });
for (const [name, call] of Object.entries(calls))
  test(`${name} is right after calls that exhausted the stack`, () => {
    const before = call();
    exhaust(call);
    for (let again = 0; again < 3; again++) assert.deepEqual(call(), before);
  });

test('a prepared key and a message outlive a lost instance', () => {
  const seal = (prepared) => millrace.seal('aes-256-gcm', { key: prepared, nonce, source });
  const prepared = millrace.createKey('aes-256-gcm', key);
  const before = seal(prepared);
  const begin = () => millrace.createCipher('aes-256-gcm', { key: prepared, nonce });
  const message = begin();
  const first = message.update(source);
  exhaust(() => seal(prepared));
  assert.deepEqual(seal(prepared), before);
  const rest = message.final();
  assert.deepEqual(Buffer.concat([first, rest, message.authTag]), Buffer.from(before));
});

test('the stack was exhausted within the modules', () => assert.ok(traps > 20, `${traps} calls`));
