// Incremental hashing and sealing: hashers, iterables and streams, files, sealed streams.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';

import promises from 'millrace/promises';

import { chunkedAlgorithms, openChunked, sealChunked } from '../../support/chunked-oracle.mjs';
import { pieces, subjects } from '../../support/hashers.mjs';
import { oracleFor } from '../../support/oracles.mjs';
import { ABORTED, drawManner, perform } from '../manner.mjs';

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
  const manner = drawManner(rng, 'promise', { routed: false });
  const what = `hash ${subject.name} of ${source.length} bytes by ${kind}, ${manner.told}`;
  return {
    what,
    bytes: 2 * source.length,
    async run() {
      const given = {
        iterable: () => slowly(cuts),
        stream: () => Readable.from(cuts, { objectMode: false }),
        web: () => Readable.toWeb(Readable.from(cuts.filter(({ length }) => length > 0))),
        blob: () => new Blob(cuts),
      }[kind]();
      const digest = await perform(manner, what, (options) =>
        promises.hash(subject.algorithm, given, { ...subject.options, ...options }),
      );
      if (digest !== ABORTED)
        assert.ok(digest.equals(subject.expected(source)), `${what}: wrong digest`);
    },
  };
}

async function* slowly(cuts) {
  for (const [index, piece] of cuts.entries()) {
    if (index % 16 === 15) await turn();
    yield piece;
  }
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
  const manner = drawManner(rng, rng.pick(['promise', 'callback', 'sync']), { routed: false });
  const what = `hashFile ${subject.name} of ${size} bytes, ${manner.told}`;
  return {
    what,
    bytes: 2 ** 20,
    async run() {
      const digest = await perform(manner, what, (options) => {
        const args = [subject.algorithm, path, { ...subject.options, ...options }];
        return workspace.ledger.send(manner, 'hashFile', args, what);
      });
      if (digest !== ABORTED)
        assert.ok(digest.equals(subject.expected(readFileSync(path))), `${what}: wrong digest`);
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
      const sealing = doing === 'seal' || (doing === 'cancelled' && place % 2 === 0);
      const refused = doing === 'changed' || doing === 'cut short';
      let input = source;
      if (!sealing) input = sealChunked(algorithm, { key, context, salt, message: source });
      if (doing === 'changed') input[place % input.length] ^= 1 << (place >>> 29);
      if (doing === 'cut short') input = input.subarray(0, place % input.length);
      const controller = new AbortController();
      const method = `${sealing ? 'seal' : 'open'}${web ? 'TransformStream' : 'Stream'}`;
      const { signal } = controller;
      const stream = promises[method]({ algorithm, key, ...(context && { context }), signal });
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

/** Sends bytes through a stream, Node's or the web's; `sent` is told how many are on their way. */
async function through(stream, input, size, sent) {
  async function* cuts() {
    for (let at = 0; at < input.length; at += size) {
      yield input.subarray(at, at + size);
      sent(at + size);
    }
  }
  const output = [];
  const gather = async (pieces) => {
    for await (const piece of pieces) output.push(piece);
  };
  const settled =
    stream instanceof Duplex
      ? pipeline(cuts, stream, gather)
      : gather(Readable.toWeb(Readable.from(cuts())).pipeThrough(stream));
  const error = await settled.then(
    () => undefined,
    (reason) => reason,
  );
  return { output: Buffer.concat(output), error };
}
