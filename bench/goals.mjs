// What the digests are to reach, as data, and what a run reached.
//
//   row      the row it is about: every field must be the row's (definitions.mjs)
//   atMost   seconds for one operation, of a batch for one message
//   rate     bytes a second, on one core
//   times    how often as fast as `than`, a contestant in the same row; or in the row `against`
//
// Seconds and rates are meant for one core of the class of a Zen 4; on another machine the ratios are
// what counts, to the C library (xxhash-addon) and the authors' own BLAKE3 (@napi-rs/blake-hash) too.

const hash = (algorithm, output, size) => ({ group: 'hash', algorithm, output, size, wait: 'sync' });
const batch = (algorithm, size) => ({ group: 'many', algorithm, operation: 'array', output: 'buffer', size, wait: 'sync' });
const MiB = 1048576;

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
  { row: hash('keccak256', 'buffer', MiB), times: 1.1, than: 'node:crypto', against: hash('sha3-256', 'buffer', MiB) },
  { row: hash('xxh64', 'bigint', MiB), rate: 18e9 },
  { row: hash('xxh64', 'bigint', MiB), times: 1, than: 'xxhash-addon' },
  { row: hash('xxh3-64', 'bigint', MiB), rate: 40e9 },
  { row: hash('xxh3-64', 'bigint', MiB), times: 1, than: 'xxhash-addon' },
  { row: hash('blake3', 'buffer', MiB), rate: 6e9 },
  { row: hash('blake3', 'buffer', MiB), times: 1, than: '@napi-rs/blake-hash' },

  { row: { group: 'hasher', algorithm: 'sha256', operation: 'new', size: 64 }, times: 2, than: 'node:crypto' },

  { row: batch('sha256', 64), atMost: 50e-9 },
  { row: batch('sha256', 64), times: 5, than: 'node:crypto' },
  { row: batch('sha256', 4096), times: 1.75, than: 'own loop' },
  { row: batch('keccak256', 64), times: 3, than: 'own loop', where: 'with AVX-512' },
  { row: batch('keccak256', 4096), times: 3, than: 'own loop', where: 'with AVX-512' },
];

/**
 * The goals whose rows are among those measured: [{ goal, row, reached, met }]. `reached` is what the
 * goal counts (seconds, bytes a second or a ratio), undefined where a side of it is absent; `met` then too.
 */
export function reached(rows) {
  return goals.flatMap((goal) => {
    const row = rows.find(fits(goal.row));
    if (row === undefined) return [];
    const value = figure(goal, row, goal.against === undefined ? row : rows.find(fits(goal.against)));
    return [{ goal, row, reached: value, met: value === undefined ? undefined : met(goal, value) }];
  });
}

export function fits(wanted) {
  return (row) => Object.entries(wanted).every(([field, value]) => row[field] === value);
}

function figure({ atMost, rate, than }, row, other) {
  const ours = fastest(row, 'millrace');
  if (ours === undefined) return undefined;
  if (atMost !== undefined) return ours;
  if (rate !== undefined) return row.size / ours;
  const theirs = other && fastest(other, than);
  return theirs === undefined ? undefined : theirs / ours;
}

function met({ atMost, rate, times }, value) {
  return atMost === undefined ? value >= (rate ?? times) : value <= atMost;
}

function fastest({ entries }, name) {
  const seconds = entries.filter(({ contestant }) => contestant === name).map((entry) => entry.seconds);
  return seconds.length === 0 ? undefined : Math.min(...seconds);
}
