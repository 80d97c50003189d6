// The program under valgrind: each call some times, then more times. process.getuid() ends a
// section: it calls getuid of the C library, before which callgrind writes down what it has
// counted. Three sections a call: warm-up, few, and few + times.

import { calls, timesOf } from './calls.mjs';

const [warmUp, few, ...names] = process.argv.slice(2);
const chosen = names.length === 0 ? calls : calls.filter(({ name }) => names.includes(name));
for (const each of chosen) {
  const { call } = each;
  await repeat(call, Number(warmUp));
  process.getuid();
  await repeat(call, Number(few));
  process.getuid();
  await repeat(call, Number(few) + timesOf(each));
  process.getuid();
}

/** Waits for promises; the price of waiting for something else is too small to be seen. */
async function repeat(call, count) {
  for (let i = 0; i < count; i++) {
    const result = call();
    if (result instanceof Promise) await result;
  }
}
