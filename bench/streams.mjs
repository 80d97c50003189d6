// Sealing and opening a stream on all cores, against a stream of node:crypto, which has one tag for
// all and works on the main thread:
//
//   node bench/streams.mjs [--size 1024] [--pieces 64K,1M] [--rounds 5] [--algorithms
//   aes-256-gcm,...]
//
// Sizes in MiB. Competitors take turns; what is printed is the median, the best (a busy machine
// takes the second core away), and the CPU time a GiB takes on all threads together. The answers
// are compared first.

import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

import { configure, openStream, sealStream } from '../dist/promises.mjs';

const MiB = 2 ** 20;
const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1024' },
    pieces: { type: 'string', default: '64K,1M' },
    rounds: { type: 'string', default: '5' },
    algorithms: { type: 'string', default: 'aes-128-gcm,aes-256-gcm,chacha20-poly1305' },
  },
});
const total = Number(values.size) * MiB;
const rounds = Number(values.rounds);
const pieceSizes = values.pieces
  .split(',')
  .map((text) => Number.parseInt(text, 10) * { K: 1024, M: MiB }[text.at(-1)]);
const block = randomBytes(8 * MiB);

console.log(
  `${values.size} MiB, ${configure().threads} threads, Node ${process.version}; GiB/s: ` +
    `median, best; CPU seconds a GiB`,
);
for (const algorithm of values.algorithms.split(',')) await measure(algorithm);

async function measure(algorithm) {
  const key = randomBytes(algorithm === 'aes-128-gcm' ? 16 : 32);
  const nonce = Buffer.alloc(12);
  const tagged = { authTagLength: 16 };
  const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const ours = await buffer(source(64 * 1024, 64 * MiB).pipe(sealStream({ algorithm, key })));
  const message = await buffer(source(64 * 1024, 64 * MiB));
  assert.equal(
    digest(await buffer(Readable.from([ours]).pipe(openStream({ algorithm, key })))),
    digest(message),
  );

  // The sealed text is complete in memory, cut into pieces in advance.
  const sealed = await collected(sealStream({ algorithm, key }));
  const cipher = createCipheriv(algorithm, key, nonce, tagged);
  const enciphered = await collected(cipher);
  const tag = cipher.getAuthTag();
  const decipher = () => createDecipheriv(algorithm, key, nonce, tagged).setAuthTag(tag);

  for (const size of pieceSizes) {
    const contests = {
      seal: {
        millrace: () => through(source(size, total), sealStream({ algorithm, key })),
        'node:crypto': () =>
          through(source(size, total), createCipheriv(algorithm, key, nonce, tagged)),
      },
      open: {
        millrace: () => through(listed(sealed, size), openStream({ algorithm, key })),
        'node:crypto': () => through(listed(enciphered, size), decipher()),
      },
    };
    for (const [direction, competitors] of Object.entries(contests)) {
      const samples = Object.fromEntries(Object.keys(competitors).map((name) => [name, []]));
      for (let round = 0; round < rounds; round++)
        for (const [name, run] of Object.entries(competitors)) samples[name].push(await timed(run));
      const [own, theirs] = Object.values(samples).map((list) => ({
        speed: median(list, 'speed'),
        best: Math.max(...list.map((each) => each.speed)),
        cpu: median(list, 'cpu'),
      }));
      const shown = ({ speed, best, cpu }) =>
        `${speed.toFixed(2)}, ${best.toFixed(2)}; ${cpu.toFixed(2)}`;
      console.log(
        `${algorithm.padEnd(18)} ${direction}  pieces of ${String(size / 1024).padStart(4)} KiB ` +
          ` millrace ${shown(own)}  node:crypto ${shown(theirs)}  ratio ` +
          `${(own.speed / theirs.speed).toFixed(1)}, ${(own.best / theirs.best).toFixed(1)}`,
      );
    }
  }
}

async function timed(run) {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await run();
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { speed: total / 2 ** 30 / seconds, cpu: (user + system) / 1e6 / (total / 2 ** 30) };
}

function median(list, field) {
  const sorted = list.map((each) => each[field]).sort((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

function through(from, stream) {
  return pipeline(
    from,
    stream,
    new Writable({ highWaterMark: MiB, write: (piece, encoding, done) => done() }),
  );
}

/** Returns a source of the block again and again. */
function source(pieceSize, size) {
  let at = 0;
  return new Readable({
    highWaterMark: pieceSize,
    read() {
      if (at >= size) return void this.push(null);
      const from = at % block.length;
      at += pieceSize;
      this.push(block.subarray(from, from + pieceSize));
    },
  });
}

async function collected(stream) {
  const pieces = [];
  await pipeline(
    source(64 * 1024, total),
    stream,
    new Writable({
      write: (piece, encoding, done) => {
        pieces.push(piece);
        done();
      },
    }),
  );
  return pieces;
}

function listed(pieces, size) {
  function* cut() {
    for (const piece of pieces)
      for (let at = 0; at < piece.length; at += size) yield piece.subarray(at, at + size);
  }
  const list = cut();
  return new Readable({
    highWaterMark: size,
    read() {
      const { value, done } = list.next();
      this.push(done ? null : value);
    },
  });
}
