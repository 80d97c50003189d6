// Many calls, or many messages in one call.

import assert from 'node:assert/strict';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { aeadNames } from '../../support/algorithms.mjs';
import { subjects } from '../../support/hashers.mjs';
import { encryption } from '../../support/jobs.mjs';
import { ABORTED, drawManner, drawRoute, perform } from '../manner.mjs';
import { expected } from '../workspace.mjs';

/** Returns a step: calls of hashMany and hmacMany, with all forms of sources and results. */
export function batch(rng, workspace) {
  const subject = rng.pick(subjects);
  const packed = rng.chance(0.3);
  const fixed = workspace.size(rng, 3000);
  const count = rng.chance(0.2) ? rng.below(4) : rng.below(250);
  const sources = Array.from({ length: count }, () =>
    workspace.source(rng, packed ? fixed : workspace.size(rng, rng.chance(0.02) ? 60_000 : 2000)),
  );
  const form = rng.pick(['whole', 'hex', 'target']);
  const manner = drawManner(rng, rng.pick(['sync', 'callback', 'promise', 'promise']));
  const what =
    `${subject.kind}Many ${subject.name}, ${count} messages` +
    `${packed ? ` of ${fixed} bytes, packed` : ''}, ${form}, ${manner.told}`;
  return {
    what,
    bytes: sources.reduce((sum, { length }) => sum + length, 0),
    async run() {
      const lent = form === 'target';
      // Packed messages of 0 bytes have no number.
      const given =
        packed && fixed > 0
          ? { data: Buffer.concat(sources), size: fixed }
          : sources.map((source) => (lent ? source : Buffer.from(source)));
      const target = Buffer.alloc(10 + count * subject.make().outputLength, 0xa5);
      const first = subject.kind === 'hmac' ? [subject.key] : [];
      const result = await perform(manner, what, (options) => {
        const all = {
          ...subject.options,
          ...(form === 'hex' && { encoding: 'hex' }),
          ...(lent && { target, targetOffset: 7 }),
          ...options,
        };
        const args = [subject.algorithm, ...first, given, all];
        const settled = workspace.ledger.send(manner, `${subject.kind}Many`, args, what);
        if (manner.waiting !== 'sync' && !lent)
          for (const bytes of given.data ? [given.data] : given) bytes.fill(0xee);
        return settled;
      });
      if (result === ABORTED) {
        workspace.retained.keep(`${what}: cancelled`, target);
        return;
      }
      const right = Buffer.concat(sources.map((source) => subject.expected(source)));
      const found =
        form === 'hex'
          ? Buffer.from(result.join(''), 'hex')
          : lent
            ? target.subarray(7, 7 + result)
            : result;
      assert.ok(found.equals(right), `${what}: wrong digests`);
      if (lent)
        assert.ok(
          target.subarray(0, 7).every((byte) => byte === 0xa5) &&
            target.subarray(7 + result).every((byte) => byte === 0xa5),
          `${what}: bytes beside the target were touched`,
        );
      workspace.retained.keep(what, found);
    },
  };
}

/** Thousands of small calls at once, by callback and promise; some callbacks throw. */
export function burst(rng, workspace) {
  const count = rng.pick([50, 300, 1000, 3000]);
  const algorithm = rng.pick(['sha256', 'md5', 'sha512', 'sha3-256', 'blake3', 'xxh3-64', 'sha1']);
  const sources = Array.from({ length: 16 }, () => workspace.source(rng, workspace.size(rng, 600)));
  const each = rng.pick(['callback', 'promise', 'both']);
  const throws = rng.chance(0.3);
  const stall = rng.chance(0.3) ? rng.below(20) : 0;
  const route = drawRoute(rng);
  const what =
    `burst of ${count} ${algorithm} by ` +
    `${each}${throws ? ', some throw' : ''}` +
    `${stall ? `, the thread busy for ${stall} ms` : ''}${route ? `, route ${route}` : ''}`;
  return {
    what,
    async run() {
      const option = route ? { route } : {};
      const settled = Array.from({ length: count }, (_, index) => {
        const waiting = each === 'both' ? ['callback', 'promise'][index % 2] : each;
        const how = { waiting, throws: throws && index % 50 === 0 };
        return workspace.ledger.send(how, 'hash', [algorithm, sources[index % 16], option], what);
      });
      busy(stall);
      const right = sources.map((source) => expected({ kind: 'hash', algorithm, source }).output);
      for (const [index, digest] of (await Promise.all(settled)).entries())
        assert.ok(digest.equals(right[index % 16]), `${what}: call ${index} is wrong`);
    },
  };
}

export function busy(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/**
 * Returns a step: a prepared key for many calls of both directions, disposed with jobs in flight.
 */
export function preparedKey(rng, workspace) {
  const algorithm = rng.pick(aeadNames);
  const jobs = Array.from({ length: rng.between(1, 12) }, () =>
    encryption(algorithm, workspace.source(rng, workspace.size(rng, 200_000)), rng, {
      aadSize: rng.below(50),
    }),
  );
  const key = rng.bytes(jobs[0].key.length);
  for (const job of jobs) job.key = key;
  const moment = rng.pick(['at once', 'a microtask later', 'after the first']);
  const what = `${jobs.length} of ${algorithm} with a prepared key, disposed ${moment}`;
  return {
    what,
    bytes: jobs.reduce((sum, { source }) => sum + 3 * source.length, 0),
    async run() {
      const prepared = millrace.createKey(algorithm, key);
      const answers = jobs.map(expected);
      const flying = jobs.flatMap(({ iv, aad, source }, index) => {
        const sealed = Buffer.concat([answers[index].output, answers[index].tag]);
        const send = async (waiting, method, from, right) => {
          const args = [algorithm, { key: prepared, nonce: iv, aad, source: from }];
          const found = await workspace.ledger.send({ waiting }, method, args, what);
          assert.ok(found.equals(right), `${what}: ${method} gave another text`);
        };
        return [send('promise', 'seal', source, sealed), send('callback', 'open', sealed, source)];
      });
      if (moment === 'a microtask later') await null;
      if (moment === 'after the first') await flying[0];
      prepared.dispose();
      await assert.rejects(
        promises.seal(algorithm, { key: prepared, nonce: jobs[0].iv, source: '' }),
        { code: 'ERR_KEY_DISPOSED' },
        what,
      );
      await Promise.all(flying);
    },
  };
}
