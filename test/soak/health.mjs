// Checks that a soak leaves neither memory nor work for the CPU behind.

import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { collectGarbage } from '../support/garbage.mjs';

const MiB = 2 ** 20;

/** Measures memory with nothing in flight, after finalisers have had their turns. */
export async function measure() {
  for (let round = 0; round < 4; round++) {
    collectGarbage();
    await turn();
    await sleep(5);
  }
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return {
    rss: rss / MiB,
    heap: heapUsed / MiB,
    external: external / MiB,
    arrayBuffers: arrayBuffers / MiB,
  };
}

/**
 * How much more there may be at the end than in the middle, in MiB. External memory and the heap
 * are counted after a collection, so nothing but what is kept is in them: the bound leaves room for
 * code and caches of V8. The resident set also has what the C library keeps of freed memory (an
 * arena for each thread that comes and goes) and what V8 has not given back yet: it swings by some
 * tens of MiB from rest to rest.
 */
const bounds = { heap: 12, external: 12, arrayBuffers: 8, rss: 160 };

/**
 * Compares the rests of the last quarter with those of the second: the first is for everything to
 * be used once.
 *
 * @param guest whether Node is run by another program, to which some of the resident set belongs
 */
export function assessMemory(samples, guest) {
  const quarter = Math.floor(samples.length / 4);
  if (quarter < 2) return { told: 'too short to compare memory' };
  const median = (name, from) => {
    const values = samples.slice(from, from + quarter).map((sample) => sample[name]);
    return values.sort((one, other) => one - other)[Math.floor(quarter / 2)];
  };
  const changes = Object.keys(bounds).map((name) => {
    const [early, late] = [median(name, quarter), median(name, samples.length - quarter)];
    return {
      name,
      change: late - early,
      told: `${name} ${early.toFixed(1)} to ${late.toFixed(1)}`,
    };
  });
  const told = `${changes.map((each) => each.told).join(', ')} MiB`;
  const grown = changes.find(
    ({ name, change }) => change > bounds[name] && !(guest && name === 'rss'),
  )?.name;
  return {
    told,
    ...(grown && { grown: `memory has grown: ${told}; ${grown} by more than ${bounds[grown]}` }),
  };
}

/** Measures the CPU time of the whole process, all threads, while it waits. */
export async function idleness(seconds) {
  const before = process.cpuUsage();
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const milliseconds = (user + system) / 1000;
  return { milliseconds, share: milliseconds / (seconds * 1000) };
}
