// What digests and asynchronous jobs are to reach, as data, and what a run reached.
//
//   row      the rows it is about: every field must be the row's (definitions.mjs)
//   atMost   seconds for one operation, of a batch for one message
//   p50      seconds from call to result, in half of the cases
//   rate     bytes a second, on one core
//   times    how often as fast as `than`, a contestant in the same row (of several the fastest); or
//   in the row `against`
//
// `own loop` is our own synchronous call: for one large job our time on a single core. Seconds and
// rates are meant for one core of the class of a Zen 4; on another machine the ratios are what
// counts, to the C library (xxhash-addon) and the authors' own BLAKE3 (@napi-rs/blake-hash) too.

const hash = (algorithm, output, size) => ({
  group: 'hash',
  algorithm,
  output,
  size,
  wait: 'sync',
});
const batch = (algorithm, size) => ({
  group: 'many',
  algorithm,
  operation: 'array',
  output: 'buffer',
  size,
  wait: 'sync',
});
const MiB = 1048576;
const flight = (inFlight, size, more) => ({ table: 'async', inFlight, size, ...more });
const large = (algorithm, output) => flight(1, 64 * MiB, { algorithm, output });

/**
 * @typedef {object} Goal
 * @property {Record<string, unknown>} row
 * @property {Record<string, unknown>} [against]
 * @property {number} [atMost]
 * @property {number} [p50]
 * @property {number} [rate]
 * @property {number} [times]
 * @property {string | string[]} [than]
 * @property {string} [where]
 */

/** @type {Goal[]} */
export const goals = [
  { row: hash('sha256', 'bigint', 64), atMost: 170e-9 },
  { row: hash('sha256', 'bigint', 64), times: 2.4, than: 'bigint-hash' },
  { row: hash('keccak256', 'bigint', 64), atMost: 350e-9 },
  { row: hash('keccak256', 'bigint', 64), times: 2, than: 'bigint-hash' },
  { row: hash('xxh64', 'bigint', 64), atMost: 65e-9 },
  { row: hash('xxh64', 'bigint', 64), times: 1, than: 'xxhash-wasm' },
  { row: hash('xxh3-64', 'bigint', 64), atMost: 60e-9 },
  { row: hash('sha256', 'hex', 64), atMost: 145e-9 },
  { row: hash('sha256', 'hex', 64), times: 1.8, than: 'node:crypto' },
  { row: hash('keccak256', 'hex', 64), atMost: 330e-9 },
  { row: hash('sha256', 'buffer', 64), atMost: 150e-9 },
  { row: hash('sha256', 'buffer', 64), times: 4.5, than: 'node:crypto' },

  { row: hash('sha3-256', 'buffer', MiB), times: 1.1, than: 'node:crypto' },
  {
    row: hash('keccak256', 'buffer', MiB),
    times: 1.1,
    than: 'node:crypto',
    against: hash('sha3-256', 'buffer', MiB),
  },
  { row: hash('xxh64', 'bigint', MiB), rate: 18e9 },
  { row: hash('xxh64', 'bigint', MiB), times: 1, than: 'xxhash-addon' },
  { row: hash('xxh3-64', 'bigint', MiB), rate: 40e9 },
  { row: hash('xxh3-64', 'bigint', MiB), times: 1, than: 'xxhash-addon' },
  { row: hash('blake3', 'buffer', MiB), rate: 6e9 },
  { row: hash('blake3', 'buffer', MiB), times: 1, than: '@napi-rs/blake-hash' },

  {
    row: { group: 'hasher', algorithm: 'sha256', operation: 'new', size: 64 },
    times: 2,
    than: 'node:crypto',
  },

  { row: batch('sha256', 64), atMost: 50e-9 },
  { row: batch('sha256', 64), times: 5, than: 'node:crypto' },
  { row: batch('sha256', 4096), times: 1.75, than: 'own loop' },
  { row: batch('keccak256', 64), times: 3, than: 'own loop', where: 'with AVX-512' },
  { row: batch('keccak256', 4096), times: 3, than: 'own loop', where: 'with AVX-512' },

  { row: flight(64, 256), times: 8, than: 'crypto-async' },
  { row: flight(64, 256), times: 15, than: 'WebCrypto' },
  { row: flight(64, 256), times: 0.9, than: 'own loop' },
  { row: flight(1024, 256, { wait: 'callback' }), times: 10, than: 'crypto-async' },
  { row: flight(1, 256), p50: 4e-6 },
  { row: flight(1, 256), times: 8, than: 'crypto-async' },
  { row: flight(16, 4096), times: 1.5, than: ['crypto-async', 'node:crypto'] },
  ...[65536, MiB].flatMap((size) => [
    { row: flight(16, size, { algorithm: 'sha256' }), times: 1.6, than: 'crypto-async' },
    { row: flight(16, size, { algorithm: 'aes-256-gcm' }), times: 1.3, than: 'crypto-async' },
  ]),
  ...['aes-256-gcm', 'aes-256-ctr'].flatMap((algorithm) => [
    { row: large(algorithm, 'into'), times: 1.7, than: 'own loop', where: 'on two cores' },
    { row: large(algorithm, 'buffer'), times: 3, than: 'node:crypto', where: 'on two cores' },
  ]),
];

/**
 * The goals whose rows are among those measured: [{ goal, row, reached, met }], one for each row.
 * `reached` is what the goal counts (seconds, bytes a second or a ratio), undefined where a side of
 * it is absent; `met` then too.
 */
export function reached(rows) {
  return goals.flatMap((goal) =>
    rows.filter(fits(goal.row)).map((row) => {
      const value = figure(
        goal,
        row,
        goal.against === undefined ? row : rows.find(fits(goal.against)),
      );
      return { goal, row, reached: value, met: value === undefined ? undefined : met(goal, value) };
    }),
  );
}

export function fits(wanted) {
  return (row) => Object.entries(wanted).every(([field, value]) => row[field] === value);
}

/** The contestants that a goal names. @param {Goal} goal */
export function others({ than }) {
  return than === undefined ? [] : [than].flat();
}

function figure(goal, row, other) {
  const ours = fastest(row, ['millrace']);
  if (ours === undefined) return undefined;
  if (goal.atMost !== undefined) return ours.seconds;
  if (goal.p50 !== undefined) return ours.latency?.p50;
  if (goal.rate !== undefined) return row.size / ours.seconds;
  const theirs = other && fastest(other, others(goal));
  return theirs && theirs.seconds / ours.seconds;
}

/** @param {Goal} goal @param {number} value */
function met({ atMost, p50, rate, times }, value) {
  const most = atMost ?? p50;
  return most === undefined ? value >= (rate ?? times) : value <= most;
}

function fastest({ entries }, names) {
  const found = entries.filter(({ contestant }) => names.includes(contestant));
  return found.length === 0
    ? undefined
    : found.reduce((best, entry) => (entry.seconds < best.seconds ? entry : best));
}
