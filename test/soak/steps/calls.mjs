// One call of one entry point: any job in any way (support/entry-points.mjs), and memory of all
// kinds lent to it.

import assert from 'node:assert/strict';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import bigintHash from 'millrace/bigint-hash';
import promises from 'millrace/promises';

import { aeadNames, original, cipherNames, ciphers, hashNames } from '../../support/algorithms.mjs';
import {
  attempt,
  describe,
  expectFailure,
  expectResult,
  callStylesFor,
} from '../../support/entry-points.mjs';
import { decryption, encryption, randomJob, tampered } from '../../support/jobs.mjs';
import { cipherOptions } from '../../support/offsets.mjs';
import { arrange, describeAbort, drawAbort } from '../aborts.mjs';
import { drawRoute, expected, routeOption } from '../workspace.mjs';

/**
 * Returns a step: a job through any entry point, waited for in any way: encrypted, decrypted, or
 * tampered with.
 */
export function call(rng, workspace) {
  let job = randomJob(rng, workspace.source(rng));
  const direction =
    job.kind === 'cipher'
      ? rng.pick(['forth', 'back', ...(ciphers[job.algorithm].aead ? ['broken'] : [])])
      : 'forth';
  if (direction !== 'forth') job = decryption(job, expected(job));
  const plain = job.encrypt === false ? plaintext(job) : undefined;
  if (direction === 'broken') job = tampered(job, rng);
  const way = rng.pick(
    callStylesFor(job).filter(({ waiting }) => waiting !== 'sync' || job.source.length < 100_000),
  );
  const plan = way.waiting === 'promise' ? drawAbort(rng) : undefined;
  const route = drawRoute(rng);
  const throws = way.waiting === 'callback' && rng.chance(0.1);
  const what =
    `${describe(way, job)}${direction === 'broken' ? ', tampered' : ''}` +
    `${route ? `, route ${route}` : ''}${describeAbort(plan)}${throws ? ', throws' : ''}`;
  return {
    what,
    bytes: job.source.length * 2,
    async run() {
      const abort = arrange(plan);
      const options = {
        ...abort.options,
        ...(way.waiting === 'sync' || !way.entryPoint.modern ? {} : routeOption(route)),
      };
      const entryPoint = {
        ...way.entryPoint,
        module: workspace.ledger.counted(way.entryPoint.module, what, throws),
      };
      const form = {
        ...way.form,
        prepare: (...given) => withOptions(way.form.prepare(...given), options, way.waiting),
      };
      const settled = attempt({ ...way, entryPoint, form }, job);
      abort.launched(Promise.resolve(settled));
      const outcome = await settled;
      if (outcome.error !== undefined && outcome.error === abort.reason) {
        if (outcome.target) expectUntouched(outcome.target, 0xa5, what);
        if (outcome.target) workspace.retained.keep(`${what}: its target`, outcome.target);
        return 'aborted';
      }
      assert.ok(!abort.certain, `${what}: aborted before it began, but settled`);
      if (direction === 'broken') return expectFailure(way, job, outcome, 'ERR_AUTHENTICATION');
      expectResult(way, job, outcome, plain ? { output: plain } : expected(job));
      workspace.retained.keep(what, outcome.output);
    },
  };
}

/** Returns what a decryption must give, computed once, before anything is tampered with. */
function plaintext(job) {
  const { algorithm, key, iv, source, aad, tag } = job;
  return aad === undefined
    ? millrace.cipher(algorithm, false, key, iv, source)
    : millrace.cipher(algorithm, false, key, iv, source, aad, Buffer.from(tag));
}

/**
 * Returns a call with these options. An options object is the last argument, or becomes it where
 * calls take one; other calls take no route.
 */
function withOptions(prepared, options, waiting) {
  if (Object.keys(options).length === 0) return prepared;
  const args = [...prepared.args];
  const last = args.at(-1);
  if (typeof last === 'object' && Object.getPrototypeOf(last) === Object.prototype)
    args[args.length - 1] = { ...last, ...options };
  else if (waiting === 'promise') args.push(options);
  return { ...prepared, args };
}

/** Checks the target of a cancelled call: as it was, or all zero. */
function expectUntouched(target, filler, what) {
  const [first = 0] = target;
  assert.ok(
    first === 0 || first === filler,
    `${what}: the target of a cancelled call begins with ${first}`,
  );
  // An appended tag is written last: its place may be as it was where the text is zero.
  const until = target.findIndex((byte) => byte !== first);
  assert.ok(
    until === -1 ||
      (until >= target.length - 16 && target.subarray(until).every((byte) => byte === filler)),
    `${what}: the target of a cancelled call was written in part`,
  );
}

// lent memory

/** Memory of every kind that can be lent, filled with `content`. */
const memories = {
  'plain memory': (content) => Buffer.concat([content]),
  'separate memory': (content) => fill(new ArrayBuffer(content.length), content),
  'shared memory': (content) => fill(new SharedArrayBuffer(content.length), content),
  'growable shared memory': (content) =>
    fill(new SharedArrayBuffer(content.length, { maxByteLength: content.length + 1000 }), content),
};

function fill(memory, content) {
  const bytes = Buffer.from(memory);
  content.copy(bytes);
  return bytes;
}

/**
 * Returns a step: a cipher over lent memory: source and target apart, one over the other, or
 * shifted against one another.
 */
export function lent(rng, workspace) {
  const source = workspace.source(rng);
  const { job, sealed } = lentJob(rng, source);
  const from = sealed === undefined ? job.source : sealed;
  const size = job.kindOfCall === 'seal' ? source.length + 16 : source.length;
  const distance = rng.pick([undefined, 0, 0, 1, -1, 16, -64, rng.between(-size, size)]);
  const memory = rng.pick(Object.keys(memories));
  const entryPoint = rng.pick(
    job.kindOfCall === 'cipher' && original.ciphers.includes(job.algorithm)
      ? ['promise', 'callback', 'original package']
      : ['promise', 'callback'],
  );
  const plan = entryPoint === 'promise' ? drawAbort(rng) : undefined;
  const route = drawRoute(rng);
  const what =
    `${job.kindOfCall} ${job.algorithm} ` +
    `${job.encrypt ? 'forth' : job.broken ? 'back, tampered' : 'back'}, ${source.length} ` +
    `bytes in ${memory}, ` +
    `${distance === undefined ? 'target apart' : `target at ${distance}`}, ` +
    `${entryPoint}${route ? `, route ${route}` : ''}${describeAbort(plan)}`;
  return {
    what,
    bytes: 4 * source.length,
    async run() {
      const at =
        distance === undefined
          ? { source: 32, target: 32 + from.length + 32 }
          : { source: 32 + Math.max(0, -distance), target: 32 + Math.max(0, distance) };
      const before = Buffer.alloc(Math.max(at.source + from.length, at.target + size) + 32, 0x3c);
      from.copy(before, at.source);
      const buffer = memories[memory](before);
      const after = Buffer.from(before);
      const tag = Buffer.alloc(16, 1);
      job.result(job.broken).copy(after, at.target);
      const abort = arrange(plan);
      const settled = sendLent({
        job,
        entryPoint,
        buffer,
        at,
        from,
        size,
        tag,
        what,
        ledger: workspace.ledger,
        options: { ...abort.options, ...routeOption(route) },
      });
      abort.launched(settled);
      const error = await settled.then(
        (written) => assert.equal(written, size, what),
        (reason) => reason,
      );
      if (error !== undefined && error === abort.reason) {
        // The place of an appended tag is written last, and may still be as it was where the text
        // is zero.
        const wiped = [size, job.kindOfCall === 'seal' ? size - 16 : size].map((end) =>
          Buffer.from(before).fill(0, at.target, at.target + end),
        );
        assert.ok(
          [before, ...wiped].some((each) => buffer.equals(each)),
          `${what}: cancelled, and memory is neither as it was nor its target zero`,
        );
        workspace.retained.keep(`${what}: cancelled`, buffer);
        return 'aborted';
      }
      assert.ok(!abort.certain, `${what}: aborted before it began, but settled`);
      if (job.broken)
        assert.ok(
          error?.code === 'ERR_AUTHENTICATION' || error?.message === cryptoAsync.E_CORRUPT,
          `${what}: ${error?.stack ?? 'not refused'}`,
        );
      else assert.ifError(error);
      if (!buffer.equals(after))
        assert.fail(
          `${what}: memory differs from byte ` +
            `${buffer.findIndex((byte, index) => byte !== after[index])} of ${after.length}`,
        );
      if (job.encrypt && job.kindOfCall === 'cipher' && job.aad)
        assert.ok(tag.equals(job.tag), `${what}: wrong tag`);
      workspace.retained.keep(what, buffer);
    },
  };
}

/** Returns a cipher job with its answer: `result(broken)` is what the target must hold. */
function lentJob(rng, source) {
  const kindOfCall = rng.pick(['cipher', 'seal', 'open']);
  const algorithm = rng.pick(kindOfCall === 'cipher' ? cipherNames : aeadNames);
  const there = encryption(algorithm, source, rng, { aadSize: rng.below(40) });
  const answer = expected(there);
  const encrypt = kindOfCall === 'seal' || (kindOfCall === 'cipher' && rng.chance(0.5));
  if (encrypt) {
    const output =
      kindOfCall === 'seal' ? Buffer.concat([answer.output, answer.tag]) : answer.output;
    return { job: { ...there, kindOfCall, tag: answer.tag, broken: false, result: () => output } };
  }
  const back = decryption(there, answer);
  const broken = there.aad !== undefined && rng.chance(0.3);
  const job = {
    ...(broken ? tampered(back, rng) : back),
    kindOfCall,
    broken,
    result: (zero) => (zero ? Buffer.alloc(source.length) : source),
  };
  return { job, sealed: kindOfCall === 'open' ? Buffer.concat([job.source, job.tag]) : undefined };
}

function sendLent({ job, entryPoint, buffer, at, from, tag, what, ledger, options }) {
  const { algorithm, key, iv, aad } = job;
  const view = buffer.subarray(at.source, at.source + from.length);
  if (job.kindOfCall !== 'cipher') {
    const given = {
      key,
      nonce: iv,
      aad,
      source: view,
      target: buffer,
      targetOffset: at.target,
      ...options,
    };
    if (entryPoint === 'promise') return promises[job.kindOfCall](algorithm, given);
    return ledger.callback(what, (callback) =>
      millrace[job.kindOfCall](algorithm, given, callback),
    );
  }
  const extras =
    aad === undefined ? [] : [aad, 0, aad.length, job.encrypt ? tag : Buffer.from(job.tag), 0, 16];
  const window = [
    algorithm,
    Number(job.encrypt),
    key,
    0,
    key.length,
    iv,
    0,
    iv.length,
    buffer,
    at.source,
    from.length,
    buffer,
    at.target,
    ...extras,
  ];
  if (entryPoint === 'promise') return promises.cipher(...cipherOptions(window, options));
  return ledger.callback(what, (callback) =>
    entryPoint === 'original package'
      ? cryptoAsync.cipher(...window, callback)
      : millrace.cipher(...cipherOptions(window), callback),
  );
}

/**
 * Returns a step: a call with a resizable source, which is copied and may vanish right after the
 * call, or with a resizable target, which is refused.
 */
export function resizable(rng, workspace) {
  const source = workspace.source(rng, 1 + workspace.size(rng));
  const algorithm = rng.pick(hashNames);
  const what = `hash ${algorithm}, ${source.length} bytes in resizable memory that vanishes`;
  return {
    what,
    bytes: 2 * source.length,
    async run() {
      const memory = new ArrayBuffer(source.length, { maxByteLength: source.length + 100 });
      const bytes = fill(memory, source);
      const target = Buffer.alloc(64);
      const [digest, written] = [
        promises.hash(algorithm, bytes),
        promises.hash(algorithm, bytes, { target }),
      ];
      const refused = promises.cipher('aes-128-ctr', {
        encrypt: true,
        key: Buffer.alloc(16),
        iv: Buffer.alloc(16),
        source: bytes,
        target: memory,
      });
      memory.resize(0);
      memory.resize(source.length);
      await assert.rejects(refused, { code: 'ERR_RESIZABLE' }, what);
      const right = expected({ kind: 'hash', algorithm, source }).output;
      assert.ok((await digest).equals(right), `${what}: wrong digest`);
      assert.ok(
        target.subarray(0, await written).equals(right),
        `${what}: wrong digest in its target`,
      );
    },
  };
}

/** Returns a step: the entry point of bigint-hash, which is synchronous. */
export function bigints(rng, workspace) {
  const source = workspace.source(rng, workspace.size(rng, 20_000));
  const algorithm = rng.pick(hashNames);
  const what = `bigint-hash ${algorithm}, ${source.length} bytes`;
  return {
    what,
    async run() {
      const right = expected({ kind: 'hash', algorithm, source }).output;
      const number = bigintHash.hashAsBigInt(algorithm, source);
      assert.equal(number, BigInt(`0x${right.toString('hex')}`), what);
      assert.ok(bigintHash.hashAsBuffer(algorithm, source).equals(right), what);
      assert.ok(bigintHash.toBufferBE(number, right.length).equals(right), what);
    },
  };
}
