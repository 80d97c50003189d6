// The CPU time of other processes during a measurement.

import { openSync, readFileSync, readSync } from 'node:fs';
import { cpus } from 'node:os';

/** Clock ticks of /proc/stat, in milliseconds: USER_HZ is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/**
 * Starts counting. `foreign()` returns the CPU time that other processes, and other guests of the
 * same machine, have used since then, in cores. `delay()` returns the share of the time in which
 * this thread could have run and had no core, and undefined where the system does not count it.
 */
export function startUsage() {
  const start = {
    wall: performance.now(),
    own: process.cpuUsage(),
    all: busyTime(),
    delayed: runDelay(),
  };
  return {
    foreign() {
      const wall = performance.now() - start.wall;
      const own = process.cpuUsage(start.own);
      const busy = busyTime() - start.all;
      return Math.max(0, (busy - (own.user + own.system) / 1000) / wall);
    },
    delay() {
      if (start.delayed === undefined) return undefined;
      return (runDelay() - start.delayed) / (performance.now() - start.wall);
    },
  };
}

/**
 * Milliseconds, summed over all cores. os.cpus() lacks the time that a hypervisor gave to others
 * ("steal").
 */
function busyTime() {
  if (process.platform === 'linux') {
    try {
      const [, user, nice, system, , , irq, softirq, steal = 0] = readFileSync(
        '/proc/stat',
        'latin1',
      )
        .split('\n', 1)[0]
        .split(/\s+/)
        .map(Number);
      return (user + nice + system + irq + softirq + steal) * TICK_MS;
    } catch {
      // Not mounted, or hidden: as on other systems.
    }
  }
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}

let schedule;
const line = Buffer.alloc(64);

/** Milliseconds for which the main thread was ready to run and waited for a core. */
function runDelay() {
  try {
    schedule ??= openSync('/proc/self/schedstat', 'r');
    const text = line.toString('latin1', 0, readSync(schedule, line, 0, line.length, 0));
    return Number(text.split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

/** Returns the time in milliseconds without that in which the main thread waited for a core. */
export function runningTime() {
  for (;;) {
    const delay = runDelay();
    const now = performance.now();
    // The thread may have waited between both.
    if (runDelay() === delay) return now - (delay ?? 0);
  }
}
