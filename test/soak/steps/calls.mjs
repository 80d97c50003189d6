// One call of one entry point: any job in any way (support/entry-points.mjs), and memory of all
// kinds lent to it.

import assert from 'node:assert/strict';

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
import { ABORTED, drawManner, perform } from '../manner.mjs';
import { expected } from '../workspace.mjs';

/**
 * Returns a step: a job through any entry point, waited for in any way: encrypted, decrypted, or
 * tampered with.
 */
export function call(rng, workspace, source = workspace.source(rng)) {
  let job = randomJob(rng, source);
  const direction =
    job.kind === 'cipher'
      ? rng.pick(['forth', 'back', ...(ciphers[job.algorithm].aead ? ['broken'] : [])])
      : 'forth';
  if (direction !== 'forth') job = decryption(job, expected(job));
  if (direction === 'broken') job = tampered(job, rng);
  const style = rng.pick(
    callStylesFor(job).filter(({ waiting }) => waiting !== 'sync' || source.length < 100_000),
  );
  const manner = drawManner(rng, style.waiting, { routed: style.entryPoint.modern });
  const what =
    `${describe(style, job)}${direction === 'broken' ? ', tampered' : ''}, ` + manner.told;
  return {
    what,
    bytes: source.length * 2,
    async run() {
      const entryPoint = {
        ...style.entryPoint,
        module: workspace.ledger.counted(style.entryPoint.module, what, manner.throws),
      };
      let outcome;
      const made = await perform(manner, what, async (options, reason) => {
        const form = {
          ...style.form,
          prepare: (...given) => withOptions(style.form.prepare(...given), options, style.waiting),
        };
        outcome = await attempt({ ...style, entryPoint, form }, job);
        if (outcome.error === reason) throw reason;
      });
      if (made === ABORTED) {
        if (!outcome.target) return;
        const before = Buffer.alloc(outcome.target.length, 0xa5);
        const appended = style.form.name.startsWith('seal') && job.encrypt ? job.tagSize : 0;
        expectUntouched(outcome.target, { before, at: 0, size: before.length, appended, what });
        workspace.retained.keep(`${what}: its target`, outcome.target);
      } else if (direction === 'broken') expectFailure(style, job, outcome, 'ERR_AUTHENTICATION');
      else {
        expectResult(
          style,
          job,
          outcome,
          job.encrypt === false ? { output: source } : expected(job),
        );
        workspace.retained.keep(what, outcome.output);
      }
    },
  };
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

/**
 * Asserts that after a cancelled call memory is as it was, or the target is zero. An appended tag
 * is written last: its place may be as it was where the text is zero.
 */
function expectUntouched(memory, { before, at, size, appended, what }) {
  assert.ok(
    [0, size - appended, size].some((end) =>
      memory.equals(Buffer.from(before).fill(0, at, at + end)),
    ),
    `${what}: cancelled, and memory is neither as it was nor its target zero`,
  );
}

/** Memory of every kind that can be lent, filled with `content`. */
const memories = {
  'plain memory': (content) => Buffer.from(content),
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
export function lent(rng, workspace, source = workspace.source(rng)) {
  const method = rng.pick(['cipher', 'seal', 'open']);
  const algorithm = rng.pick(method === 'cipher' ? cipherNames : aeadNames);
  const there = encryption(algorithm, source, rng, { aadSize: rng.below(40) });
  const answer = expected(there);
  const encrypt = method === 'seal' || (method === 'cipher' && rng.chance(0.5));
  const broken = !encrypt && there.aad !== undefined && rng.chance(0.3);
  const back = encrypt ? undefined : decryption(there, answer);
  const job = broken ? tampered(back, rng) : (back ?? there);
  const input = method === 'open' ? Buffer.concat([job.source, job.tag]) : job.source;
  const sealed = method === 'seal' ? Buffer.concat([answer.output, answer.tag]) : answer.output;
  const output = encrypt ? sealed : broken ? Buffer.alloc(source.length) : source;
  const size = output.length;
  const distance = rng.pick([undefined, 0, 0, 1, -1, 16, -64, rng.between(-size, size)]);
  const kind = rng.pick(Object.keys(memories));
  const old = method === 'cipher' && original.ciphers.includes(algorithm);
  const waiting = rng.pick(['promise', 'callback', ...(old ? ['original package'] : [])]);
  const manner = drawManner(rng, waiting, { routed: waiting !== 'original package' });
  const what =
    `${method} ${algorithm} ${encrypt ? 'forth' : broken ? 'back, tampered' : 'back'}, ` +
    `${source.length} bytes in ${kind}, target ${distance ?? 'apart'}, ${manner.told}`;
  return {
    what,
    bytes: 4 * source.length,
    async run() {
      const [from, to] =
        distance === undefined
          ? [32, 64 + input.length]
          : [32 + Math.max(0, -distance), 32 + Math.max(0, distance)];
      const before = Buffer.alloc(Math.max(from + input.length, to + size) + 32, 0x3c);
      input.copy(before, from);
      const after = Buffer.from(before);
      output.copy(after, to);
      const memory = memories[kind](before);
      const tag = encrypt ? Buffer.alloc(16, 1) : Buffer.from(job.tag ?? '');
      const sent = { ...job, method, tag, memory, from, size: input.length, to };
      const made = await perform(manner, what, (options) =>
        sendLent(workspace.ledger, manner, what, sent, options),
      ).catch((error) => {
        const { code, message } = error;
        if (broken && (code === 'ERR_AUTHENTICATION' || message === cryptoAsync.E_CORRUPT))
          return 'refused';
        throw error;
      });
      if (made === ABORTED)
        expectUntouched(memory, {
          before,
          at: to,
          size,
          appended: method === 'seal' ? 16 : 0,
          what,
        });
      else {
        assert.equal(made, broken ? 'refused' : size, what);
        if (!memory.equals(after))
          assert.fail(
            `${what}: memory differs from byte ` +
              `${memory.findIndex((byte, index) => byte !== after[index])} of ${after.length}`,
          );
        if (encrypt && method === 'cipher' && job.aad)
          assert.ok(tag.equals(answer.tag), `${what}: wrong tag`);
      }
      workspace.retained.keep(what, memory);
    },
  };
}

function sendLent(ledger, manner, what, job, options) {
  const { method, algorithm, encrypt, key, iv, aad, tag, memory, from, size, to } = job;
  if (manner.waiting === 'original package') {
    const whole = (bytes) => [bytes, 0, bytes.length];
    const extras = aad === undefined ? [] : [...whole(aad), ...whole(tag)];
    const text = [memory, from, size, memory, to];
    const args = [algorithm, Number(encrypt), ...whole(key), ...whole(iv), ...text, ...extras];
    return ledger.callback(what, (callback) => cryptoAsync.cipher(...args, callback));
  }
  const given = {
    key,
    ...(method === 'cipher' ? { encrypt, iv, ...(aad && { aad, tag }) } : { nonce: iv, aad }),
    source: memory.subarray(from, from + size),
    target: memory,
    targetOffset: to,
    ...options,
  };
  return ledger.send(manner, method, [algorithm, given], what);
}

/** Returns a step: a job of 64 MiB, which is long enough to be cancelled or cut in parts. */
export function huge(rng, workspace) {
  const step = rng.pick([call, lent])(rng, workspace, workspace.source(rng, workspace.huge));
  return { ...step, bytes: 4 * workspace.huge };
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
      const [key, iv] = [Buffer.alloc(16), Buffer.alloc(16)];
      const given = { encrypt: true, key, iv, source: bytes, target: memory };
      const refused = promises.cipher('aes-128-ctr', given);
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
