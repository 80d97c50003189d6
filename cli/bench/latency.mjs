// npm run bench -- latency: how the rest of the process fares while jobs run.
//
// Each figure comes from separate processes (latency-process.mjs), a fresh one for each
// competitor, situation and round, taken in turns; what is printed is the median of the rounds'
// quantiles, and in brackets their lowest and highest. No competitor's threads
// disturb another, and a slow moment affects all. Quantiles of single rounds are kept in --json.
//
// - timer: a chain of 1 ms timers; how much later than asked each fires. fs.stat: a chain of
//   stats of one file, 1 ms apart. Both are corrected for coordinated omission: a stall of 100 ms
//   delays a hundred events, not one (numbers.mjs). Timers of libuv have a grain of 1 ms, so that a
//   median is below one, and idle is the measure of everything else.
// - hash: a chain of short hashes, lent, 1 ms apart, from the call to its result: what a request
//   would wait that needs one digest. Not corrected, as one at a time is what it is about.
// - held: the time of the call itself, one job in flight, after twenty jobs of 4 KiB: a main
//   thread that is at work. `cold` is the first thing done after the last job is back: once 64 MiB
//   have gone through the caches any code is slow, a synchronous hash of nothing too, and a worker
//   must be woken. Small figures hold one look at the clock (about 50 ns).
// - idle CPU: user and system time of the whole process over five seconds after a burst; a
//   process that has loaded nothing is measured beside it.
// - The probes themselves use 3 to 5 % of a core, and on two cores three threads want to run:
//   what is measured is the whole, with the operating system's scheduler in it.

import { execFile } from 'node:child_process';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { median, rotated } from './numbers.mjs';

const run = promisify(execFile);
const KiB = 1024;
const MiB = 1024 * KiB;

const sha256 = { group: 'hash', algorithm: 'sha256', output: 'into' };
const gcm = {
  group: 'aead',
  algorithm: 'aes-256-gcm',
  operation: 'seal',
  key: 'raw',
  output: 'into',
};
const scrypt = {
  group: 'kdf',
  algorithm: 'scrypt',
  operation: 'N=16384 r=8 p=1',
  output: 'buffer',
  parameters: { N: 16384, r: 8, p: 1, maxmem: 64 * MiB },
};

/**
 * The measurements, as data. `load`: jobs kept in flight. `probes`: timer, stat, or a short hash of
 * so many bytes. A job is a definition as in definitions.mjs with size and count.
 */
export const situations = [
  {
    name: '16 x 1 MiB sha256 in flight',
    load: [{ ...sha256, size: MiB, count: 16 }],
    probes: ['timer', 'stat'],
    competitors: ['millrace', 'WebCrypto', 'crypto-async', 'piscina'],
  },
  {
    name: '16 x 1 MiB aes-256-gcm in flight',
    load: [{ ...gcm, size: MiB, count: 16 }],
    probes: ['timer', 'stat'],
    competitors: ['millrace', 'WebCrypto', 'crypto-async', 'piscina'],
  },
  {
    name: '16 x 64 MiB sha256 in flight',
    load: [{ ...sha256, size: 64 * MiB, count: 16 }],
    probes: ['timer', 'stat'],
    competitors: ['millrace', 'WebCrypto', 'crypto-async', 'piscina'],
  },
  {
    name: '8 x 64 MiB sha256 and 4 x 64 MiB aes-256-gcm in flight',
    load: [
      { ...sha256, size: 64 * MiB, count: 8 },
      { ...gcm, size: 64 * MiB, count: 4 },
    ],
    probes: [16, KiB],
    competitors: ['millrace', 'WebCrypto', 'crypto-async', 'piscina'],
  },
  // node:crypto's are done by the threads that the file system waits for.
  {
    name: '16 x scrypt N=16384 r=8 p=1 in flight',
    load: [{ ...scrypt, size: 32, count: 16 }],
    probes: ['timer', 'stat'],
    competitors: ['millrace', 'node:crypto'],
  },
];

/** Nothing in flight. Only the short hashes need a competitor. */
const idle = {
  name: 'idle',
  load: [],
  probes: ['timer', 'stat', 16, KiB],
  competitors: ['millrace'],
};

/** The call itself. WebCrypto copies the message there. */
export const held = {
  jobs: [sha256, gcm],
  sizes: [64, 256, KiB, 4 * KiB, 64 * KiB, MiB, 16 * MiB, 64 * MiB, 256 * MiB, 1024 * MiB],
  competitors: ['millrace', 'crypto-async', 'WebCrypto'],
  /** The rest of the competitors only up to here: WebCrypto copies, and 1 GiB takes a second. */
  othersUpTo: 64 * MiB,
};

/** Competitors that run a burst and are then idle; `baseline` loads nothing. */
const rested = ['baseline', 'millrace', 'crypto-async', 'piscina'];

/** The time of all rounds together. */
const BUDGET_MS = 130_000;

/**
 * Returns { rounds, seconds, loop, held, rest, foreign, wrong }; all times in seconds.
 *
 * @param {{ quick?: boolean, competitors?: string[] }} plan
 * @param {(text: string) => void} note
 * @param {{ soFar?: () => object }} partial its `soFar` returns what has been measured so far
 */
export async function measureLatency({ quick, competitors }, note = () => {}, partial = {}) {
  const rounds = quick ? 1 : 3;
  const seconds = quick ? 0.6 : 1.2;
  const begin = performance.now();
  const takesPart = (name) =>
    name === 'millrace' || name === 'baseline' || (competitors?.includes(name) ?? true);
  const processes = startProcesses();

  const loop = [idle, ...situations].flatMap(({ competitors: names, ...situation }) =>
    names.filter(takesPart).map((competitor) => ({ competitor, ...situation, rounds: [] })),
  );
  const calls = [];
  const rest = [];
  partial.soFar = () => {
    const measured = {
      loop: loop
        .filter((each) => each.rounds.length > 0)
        .map((each) => ({
          ...each,
          probes: combine(each.rounds),
          jobsPerSecond: median(each.rounds.map((one) => one.jobsPerSecond)),
        })),
      held: calls,
      rest,
    };
    return {
      seconds,
      ...measured,
      foreign: median(processes.foreign),
      wrong: processes.wrong,
    };
  };
  // On a busy machine a competitor that copies takes ten times as long to drain: then fewer
  // rounds.
  for (
    let round = 0;
    round < rounds && ((performance.now() - begin) * (round + 1)) / Math.max(1, round) < BUDGET_MS;
    round++
  ) {
    for (const [index, each] of rotated(loop, round).entries()) {
      note(`latency: round ${round + 1} of ${rounds}, ${index + 1} of ${loop.length}`);
      const { competitor, load, probes } = each;
      each.rounds.push(
        ...(await processes.run({ what: 'loop', competitor, load, probes, seconds })),
      );
    }
  }

  // A source and a target, and what the machine does besides: a call that is too large is left out.
  const sizes = held.sizes.filter((size) => 4 * size < freemem() && (!quick || size <= 64 * MiB));
  for (const competitor of held.competitors.filter(takesPart)) {
    for (const job of held.jobs) {
      note(`latency: calls of ${competitor}`);
      for (const { sizes: figures } of await processes.run({
        what: 'held',
        competitor,
        job,
        sizes: sizes.filter((size) => competitor === 'millrace' || size <= held.othersUpTo),
        seconds: quick ? 0.1 : 0.3,
      }))
        calls.push({ competitor, job, sizes: figures });
    }
  }

  note('latency: idle');
  rest.push(
    ...(
      await Promise.all(
        rested.filter(takesPart).map(async (competitor) => {
          const results = await processes.run({
            what: 'rest',
            competitor,
            job: sha256,
            seconds: quick ? 1 : 5,
          });
          return results.map(({ cpu, seconds: idleFor }) => ({
            competitor,
            cpu,
            seconds: idleFor,
          }));
        }),
      )
    ).flat(),
  );
  note('');
  return partial.soFar();
}

/**
 * Runs tasks in separate processes: [result], or [] of a competitor that is not installed or has
 * no such job; ours must have it.
 */
function startProcesses() {
  const file = fileURLToPath(new URL('latency-process.mjs', import.meta.url));
  const wrong = [];
  const foreign = [];
  const inProcess = async (task) => {
    try {
      const { stdout } = await run(process.execPath, ['--expose-gc', file, JSON.stringify(task)], {
        maxBuffer: 2 ** 26,
      });
      const result = JSON.parse(stdout);
      foreign.push(result.foreign);
      return [result];
    } catch (error) {
      const reason =
        String(error.stderr || error)
          .split('\n')
          .find((text) => text.includes('Error')) ?? String(error);
      if (task.competitor === 'millrace' || reason.includes('wrong answer'))
        wrong.push(`${task.competitor}, ${task.what}: ${reason}`);
      return [];
    }
  };
  return { run: inProcess, wrong, foreign };
}

/** Returns the rounds' quantiles, each as [median, lowest, highest]. */
export function combine(rounds) {
  const names = Object.keys(rounds[0].probes);
  const over = (pick) => {
    const values = rounds.map(pick);
    return [median(values), Math.min(...values), Math.max(...values)];
  };
  // Each part of the curve is the median of the rounds.
  const curve = (name) =>
    rounds[0].probes[name].curve?.map(([part], index) => [
      part,
      median(rounds.map(({ probes }) => probes[name].curve[index][1])),
    ]);
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        p50: over(({ probes }) => probes[name].p50),
        p99: over(({ probes }) => probes[name].p99),
        curve: curve(name),
        count: median(rounds.map(({ probes }) => probes[name].count)),
      },
    ]),
  );
}
