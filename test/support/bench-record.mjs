// A record as `millrace bench` makes it, with figures that were thought up.

import { definitions } from '../../cli/bench/definitions.mjs';
import { crossovers } from '../../cli/bench/engines.mjs';
import { compareRow } from '../../cli/bench/confidence.mjs';

const competitors = [
  'millrace',
  'node:crypto',
  'WebCrypto',
  'crypto-async',
  'piscina',
  'hash-wasm',
  '@noble/hashes',
  'own loop',
];

/** Seconds an operation: a fixed part and one a byte, another for each. */
const figure = (index, size) => (100 + 180 * index + size * (0.5 + 0.3 * index)) * 1e-9;

const definition = (wanted) =>
  definitions.find((each) => Object.entries(wanted).every(([name, value]) => each[name] === value));

const row = (found, rest) => {
  const complete = { ...found, wrong: [], foreign: 0, ...rest };
  return { ...complete, comparison: compareRow(complete) };
};

function rows(wanted, wait, sizes, names) {
  return sizes.map((size) => {
    const entries = names.map((competitor, index) => {
      const seconds = figure(index, size);
      const latency = { p50: 9 * seconds, p99: 30 * seconds };
      return {
        competitor,
        form: 'a <form>',
        seconds,
        quartiles: [0.98, 1.02].map((part) => part * seconds),
        spread: 0.02 + 0.05 * index,
        ...(wait !== 'sync' && { latency, cores: 1.5 }),
      };
    });
    const disturbed = size === 64;
    const [foreign, attempts] = disturbed ? [0.5, 3] : [0.01, 1];
    return row(definition(wanted), { size, wait, entries, foreign, attempts, disturbed });
  });
}

/** Returns the routes: dear and fast, cheap and slow. */
function perf(table, algorithm) {
  const costs = {
    sync: [200, 0.4],
    inline: [400, 0.41],
    pool: [900, 0.2],
    'pool, one job': [9000, 0.4],
    'split, one job': [15000, 0.21],
    'node:crypto': [1500, 0.45],
  };
  const found = definition({ table, algorithm });
  return found.sizes.map((size) => {
    const entries = Object.entries(costs).map(([competitor, [fixed, perByte]]) => {
      const seconds = (fixed + perByte * size) * 1e-9;
      return { competitor, form: 'seal', seconds, spread: 0.03 };
    });
    return row(found, { size, wait: 'callback', entries });
  });
}

function latency() {
  const probe = (base) => ({ p50: [base, base, base], p99: [base * 6, base * 5, base * 9] });
  const situation = (name, competitor, base) => ({
    name,
    competitor,
    load: [],
    rounds: [],
    probes: { timer: probe(base), stat: probe(base / 3) },
    jobsPerSecond: 1 / base,
  });
  return {
    seconds: 1,
    loop: [
      situation('idle', 'millrace', 1e-4),
      ...['millrace', 'WebCrypto', 'crypto-async', 'piscina'].map((name, index) =>
        situation('16 x 1 MiB sha256 in flight', name, 3e-4 * 3 ** index),
      ),
    ],
    wrong: [],
    foreign: 0.1,
  };
}

export function benchRecord() {
  const all = [64, 256, 1024, 4096, 65536, 1048576];
  const hash = { group: 'hash', algorithm: 'sha256' };
  const kdf = (algorithm) => ({ group: 'kdf', algorithm });
  const measured = [
    ...rows({ ...hash, output: 'hex' }, 'sync', all, competitors),
    ...rows({ ...hash, output: 'buffer' }, 'callback', all, competitors.slice(0, 5)),
    ...rows(kdf('scrypt'), 'sync', [32], ['millrace', 'node:crypto']),
    ...rows(kdf('argon2id'), 'callback', [32], ['millrace', '@node-rs/argon2']),
    ...perf('hashperf', 'blake3'),
    ...perf('cryptperf', 'aes-256-gcm'),
  ];
  return {
    format: 1,
    date: '2026-11-21T12:00:00.000Z',
    cpu: 'A processor of 64 characters, or so: <Model> "9654" & its friends',
    cores: 8,
    system: 'Linux 6.1 x64',
    node: 'v20.20.2',
    competitors: competitors.map((name) => `${name} 1.2.3`),
    missing: [{ name: 'keccak', package: 'keccak', reason: 'not installed' }],
    settings: {
      rounds: 11,
      time: 4,
      asynchronous: { samples: 6, flight: 32 },
      inFlight: 16,
      clock: 5e-8,
    },
    rows: measured,
    crossovers: crossovers(measured),
    latency: latency(),
    load: {
      times: { millrace: { median: 0.03, p90: 0.04 }, 'node:crypto': { median: 0.01, p90: 0.02 } },
      starts: { 'node -e 0': { median: 0.04, p90: 0.05 } },
    },
  };
}
