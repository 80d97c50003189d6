// Incremental hashing and sealing: hashers, iterables and streams, files, sealed streams.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { chunkedAlgorithms, openChunked, sealChunked } from '../../support/chunked-oracle.mjs';
import { pieces, subjects } from '../../support/hashers.mjs';
import { oracleFor } from '../../support/oracles.mjs';
import { arrange, describeAbort, drawAbort } from '../aborts.mjs';

/** Returns a size that the subject's oracle can compute in time. */
function sizeFor(subject, rng, workspace) {
  return workspace.size(
    rng,
    oracleFor(subject.kind, subject.algorithm) === 'node:crypto' ? workspace.largest : 30_000,
  );
}

/**
 * Returns a step: a running hash: updates of all kinds, a copy or a state on the way, the digest in
 * any form.
 */
export function hasher(rng, workspace) {
  const subject = rng.pick(subjects);
  const source = workspace.source(rng, sizeFor(subject, rng, workspace));
  const cuts = pieces(source, rng).map((piece) => ({
    piece,
    how: rng.pick(['promise', 'callback', 'window', 'text']),
  }));
  const turning = rng.below(cuts.length + 1);
  const change = rng.pick(['none', 'copy', 'state']);
  const ending = rng.pick(['promise', 'callback', 'hex']);
  const throws = rng.chance(0.1);
  const what =
    `hasher ${subject.name}, ${source.length} bytes in ${cuts.length} pieces, ${change}, ` +
    `${ending}${throws ? ', throws' : ''}`;
  return {
    what,
    bytes: 2 * source.length,
    async run() {
      let running = subject.make();
      const settled = [];
      for (const [index, { piece, how }] of cuts.entries()) {
        if (index === turning) {
          await Promise.all(settled);
          if (change === 'copy') running = running.copy();
          if (change === 'state' && subject.exports)
            running = subject.make({ state: running.exportState() });
        }
        settled.push(
          update(running, piece, how, source, what, workspace.ledger, throws && index === 0),
        );
      }
      const digest =
        ending === 'callback'
          ? workspace.ledger.callback(what, (callback) => running.digest(callback))
          : running.digestAsync(ending === 'hex' ? 'hex' : undefined);
      await Promise.all(settled);
      const found = ending === 'hex' ? Buffer.from(await digest, 'hex') : await digest;
      assert.ok(found.equals(subject.expected(source)), `${what}: wrong digest`);
    },
  };
}

function update(running, piece, how, source, what, ledger, throws) {
  if (how === 'window')
    return running.updateAsync(source, piece.byteOffset - source.byteOffset, piece.length);
  if (how === 'text') return running.updateAsync(piece.toString('latin1'), 'latin1');
  const own = Buffer.from(piece);
  const settled =
    how === 'promise'
      ? running.updateAsync(own)
      : ledger.callback(what, (callback) => running.update(own, callback), throws);
  own.fill(0xee);
  return settled;
}

/**
 * Returns a step: a message that comes by an iterable, a Node stream, a web stream or a Blob;
 * aborted now and then.
 */
export function iterable(rng, workspace) {
  const subject = rng.pick(subjects.filter(({ kind }) => kind === 'hash'));
  const source = workspace.source(rng, sizeFor(subject, rng, workspace));
  const cuts = pieces(source, rng).map((piece) => Buffer.from(piece));
  const kind = rng.pick(['iterable', 'stream', 'web', 'blob']);
  const plan = drawAbort(rng);
  const what = `hash ${subject.name} of ${source.length} bytes by ${kind}${describeAbort(plan)}`;
  return {
    what,
    bytes: 2 * source.length,
    async run() {
      const abort = arrange(plan);
      const given = {
        iterable: () => slowly(cuts),
        stream: () => Readable.from(cuts, { objectMode: false }),
        web: () => Readable.toWeb(Readable.from(cuts.filter(({ length }) => length > 0))),
        blob: () => new Blob(cuts),
      }[kind]();
      const settled = promises.hash(subject.algorithm, given, {
        ...subject.options,
        ...abort.options,
      });
      abort.launched(settled);
      await checkDigest(settled, abort, () => subject.expected(source), what);
    },
  };
}

async function* slowly(cuts) {
  for (const [index, piece] of cuts.entries()) {
    if (index % 16 === 15) await turn();
    yield piece;
  }
}

async function checkDigest(settled, abort, right, what) {
  let digest;
  try {
    digest = await settled;
  } catch (error) {
    if (error === undefined || error !== abort.reason) throw error;
    return;
  }
  assert.ok(!abort.certain, `${what}: aborted before it began, but settled`);
  assert.ok(digest.equals(right()), `${what}: wrong digest`);
}

/** Returns a step: a file, in all three call styles. */
export function file(rng, workspace) {
  const { path, size } = rng.pick(workspace.files.list);
  const subject = rng.pick(
    subjects.filter(
      ({ kind, algorithm }) =>
        kind === 'hash' && (size < 30_000 || oracleFor(kind, algorithm) === 'node:crypto'),
    ),
  );
  const waiting = rng.pick(['promise', 'callback', 'sync']);
  const plan = waiting === 'promise' ? drawAbort(rng) : undefined;
  const throws = waiting === 'callback' && rng.chance(0.1);
  const what =
    `hashFile ${subject.name} of ${size} bytes, ` +
    `${waiting}${describeAbort(plan)}${throws ? ', throws' : ''}`;
  return {
    what,
    bytes: 2 ** 20,
    async run() {
      const abort = arrange(plan);
      const options = { ...subject.options, ...abort.options };
      const settled =
        waiting === 'callback'
          ? workspace.ledger.callback(
              what,
              (callback) => millrace.hashFile(subject.algorithm, path, options, callback),
              throws,
            )
          : waiting === 'promise'
            ? promises.hashFile(subject.algorithm, path, options)
            : Promise.resolve(millrace.hashFile(subject.algorithm, path, options));
      abort.launched(settled);
      await checkDigest(settled, abort, () => subject.expected(readFileSync(path)), what);
    },
  };
}

/**
 * Returns a step: a sealed stream, Node's or the web's: sealed, opened, changed on the way, or
 * cancelled half-way.
 */
export function sealedStream(rng, workspace) {
  const algorithm = rng.pick(Object.keys(chunkedAlgorithms));
  const source = workspace.source(rng);
  const [key, salt] = [rng.bytes(chunkedAlgorithms[algorithm].keySize), rng.bytes(24)];
  const context = rng.pick([undefined, 'context']);
  const web = rng.chance(0.4);
  const doing = rng.pick(['seal', 'open', 'changed', 'cut short', 'cancelled']);
  const cuts = rng.pick([1000, 16_384, 65_536, 300_000]);
  const place = rng.word();
  const what =
    `sealed stream ${algorithm}, ${source.length} bytes in chunks of ${cuts}, ` +
    `${web ? 'web' : 'node'}, ${doing}`;
  return {
    what,
    bytes: 3 * source.length,
    async run() {
      const options = { algorithm, key, ...(context && { context }) };
      const sealing = doing === 'seal' || (doing === 'cancelled' && place % 2 === 0);
      const { input, refused } = throughput({
        sealing,
        doing,
        place,
        given: () => sealChunked(algorithm, { key, context, salt, message: source }),
        source,
      });
      const controller = new AbortController();
      const stream = streams[web ? 'web' : 'node'](sealing, {
        ...options,
        signal: controller.signal,
      });
      const after = doing === 'cancelled' ? place % (input.length + 1) : Infinity;
      const { output, error } = await through(stream, input, cuts, (sent) => {
        if (sent >= after) controller.abort(new Error('cancelled'));
      });
      if (doing === 'cancelled') return;
      if (refused) {
        assert.ok(
          ['ERR_AUTHENTICATION', 'ERR_TRUNCATED'].includes(error?.code),
          `${what}: ${error?.stack ?? 'not refused'}`,
        );
        assert.ok(
          output.length <= source.length && source.subarray(0, output.length).equals(output),
          `${what}: gave what is not of the message`,
        );
        return;
      }
      assert.ifError(error);
      const message = sealing ? openChunked(algorithm, { key, context, sealed: output }) : output;
      assert.ok(message.equals(source), `${what}: another message`);
      workspace.retained.keep(what, output);
    },
  };
}

function throughput({ sealing, doing, place, given, source }) {
  if (sealing) return { input: source, refused: false };
  const sealed = given();
  if (doing === 'changed') sealed[place % sealed.length] ^= 1 << (place >>> 29);
  const input = doing === 'cut short' ? sealed.subarray(0, place % sealed.length) : sealed;
  return { input, refused: doing === 'changed' || doing === 'cut short' };
}

const streams = {
  node: (sealing, options) =>
    sealing ? promises.sealStream(options) : promises.openStream(options),
  // The two sides of a web stream, as iterable and writer.
  web: (sealing, options) =>
    sealing ? promises.sealTransformStream(options) : promises.openTransformStream(options),
};

async function through(stream, input, size, sent) {
  const output = [];
  const web = 'readable' in stream && typeof stream.readable === 'object';
  const [writing, reading] = web
    ? [writeWeb(stream.writable, input, size, sent), stream.readable]
    : [writeNode(stream, input, size, sent), stream];
  let error;
  const written = writing.catch((reason) => {
    error ??= reason;
  });
  try {
    for await (const piece of reading) output.push(piece);
  } catch (reason) {
    error = reason;
  }
  await written;
  return { output: Buffer.concat(output), error };
}

async function writeNode(stream, input, size, sent) {
  stream.on('error', () => {});
  for (let at = 0; at < input.length && !stream.destroyed; at += size) {
    const more = stream.write(input.subarray(at, at + size));
    sent(at + size);
    if (!more && !stream.destroyed)
      await new Promise((resolve) => stream.once('drain', resolve).once('close', resolve));
  }
  if (!stream.destroyed) stream.end();
}

async function writeWeb(writable, input, size, sent) {
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  for (let at = 0; at < input.length; at += size) {
    await writer.ready;
    writer.write(input.subarray(at, at + size)).catch(() => {});
    sent(at + size);
  }
  await writer.close();
}
