// The valid calls of every export while Object.prototype or Array.prototype has more properties.
// A program of pollution.test.mjs.

import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Duplex, Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { rsaKey, templates, waysOf } from '../support/calls.mjs';

const { Cipher, Decipher, Hash, Hmac, Key } = millrace;
const values = { number: 1, string: 'zero', array: [1], function: () => {} };
const file = fileURLToPath(import.meta.url);

/** Returns the calls: functions that take arguments made before, and a name for each. */
export function callsOf() {
  const calls = [];
  for (const { name, args: given } of templates(millrace)) {
    if (name === 'configure' || name === 'engines') continue;
    const args = /^seal.*StreamWithPassphrase$/.test(name) ? () => ['x', { N: 1024 }] : given;
    for (const [way, call] of Object.entries(waysOf(name, { millrace, promises }))) {
      const isSync = way === 'millrace';
      // Node.js itself reads files and makes streams in these.
      if (way !== 'promises' && promises[name] && /File|Stream/.test(name)) continue;
      const run = isSync
        ? (given) => used(call(...given), false)
        : async (given) => used(await call(...given), true);
      calls.push({ name: `${name}, ${way}`, args, call: run });
    }
  }
  const chunk = Buffer.from('a chunk');
  const sources = {
    'a stream': () => Readable.from([chunk, chunk]),
    'a web stream': () => new Blob([chunk]).stream(),
    'a file': () => [file],
  };
  for (const [name, source] of Object.entries(sources))
    for (const call of name === 'a file' ? ['hashFiles'] : ['hash', 'hmac'])
      calls.push({
        name: `promises.${call} of ${name}`,
        args: () => (call === 'hmac' ? ['sha256', 'key', source()] : ['sha256', source()]),
        call: (given) => promises[call](...given),
      });
  return calls;
}

/** Makes what a program would make of a result, and returns it. */
async function used(value, later) {
  if (value instanceof Hash || value instanceof Hmac) {
    if (!later) return value.update('x').digest();
    await value.updateAsync('x');
    return value.digestAsync();
  }
  if (value instanceof Cipher || value instanceof Decipher) {
    const first = later ? await value.updateAsync(Buffer.alloc(100)) : value.update('x');
    return value instanceof Cipher ? [first, value.final()] : first;
  }
  if (value instanceof Key)
    return value.algorithm.startsWith('hmac-')
      ? millrace.hmac(value.algorithm.slice(5), value, 'x')
      : millrace.seal(value.algorithm, { key: value, nonce: Buffer.alloc(12), source: 'x' });
  if (value instanceof Duplex) {
    let size = 0;
    value.on('data', (chunk) => (size += chunk.length));
    value.end(Buffer.alloc(100));
    await finished(value);
    return size;
  }
  if (value instanceof TransformStream) {
    let size = 0;
    const written = new Blob([Buffer.alloc(100)]).stream().pipeThrough(value);
    for await (const chunk of written) size += chunk.length;
    return size;
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value) || !value[Symbol.asyncIterator]) return value;
  const all = [];
  for await (const each of value) all.push(each);
  return all;
}

/** Returns a result as text; without pollution. */
export function shown(value) {
  if (value instanceof Error) return `error ${value.code ?? value.stack}`;
  if (ArrayBuffer.isView(value)) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(shown).join();
  if (typeof value === 'object' && value !== null)
    return JSON.stringify(value, (_, each) =>
      Buffer.isBuffer(each) ? shown(each) : typeof each === 'bigint' ? String(each) : each,
    );
  return String(value);
}

/** Returns true for the text of an error, or of a call that does not settle. */
export const isFailure = (text) => /^(error|never settles)/.test(text);

/** Plain operations of Node.js. What changes them too is no fault of Millrace. */
const operations = [
  {
    name: 'streams',
    args: () => [],
    call: async () => {
      const parts = [];
      const through = () =>
        new Transform({ transform: (chunk, encoding, done) => done(null, chunk) });
      for await (const part of Readable.from([Buffer.alloc(3)]).pipe(through())) parts.push(part);
      for await (const part of new Blob(['abc']).stream()) parts.push(part);
      const ended = through()
        .on('data', () => {})
        .on('pipe', () => {});
      ended.end('x');
      await finished(ended);
      const failed = through().on('error', () => {});
      failed.destroy(new Error('x'));
      for await (const each of Readable.from([1, 2])) if (each === 1) break;
      return [...parts, await readFile(file)];
    },
  },
  {
    name: 'a web stream',
    args: () => [],
    call: async () => {
      const stream = new TransformStream();
      for await (const part of new Blob(['abc']).stream().pipeThrough(stream)) return part;
    },
  },
  {
    name: 'a worker',
    args: () => [],
    call: async () => {
      const worker = new Worker('require("worker_threads").parentPort.postMessage(1)', {
        eval: true,
      });
      const [message] = await once(worker, 'message');
      await worker.terminate();
      return message;
    },
  },
];

const { subtle } = globalThis.crypto;
const pkcs8 = createPrivateKey(rsaKey).export({ format: 'der', type: 'pkcs8' });

/** The portable engine leaves RSA to this. */
const platformKey = {
  name: 'an RSA key of WebCrypto',
  args: () => [],
  async call() {
    const algorithm = { __proto__: null, name: 'RSA-OAEP', hash: 'SHA-1' };
    const key = await subtle.importKey('pkcs8', pkcs8, algorithm, true, ['decrypt']);
    return key.type;
  },
};

const plainOperations = (engine) =>
  engine === 'portable' ? [...operations, platformKey] : operations;

/** Resolves to the results of calls as text, made while a prototype has some properties. */
async function resultsOf(calls, prototype, names, value, limit, beat = new Int32Array(1)) {
  const given = calls.map(({ args }) => args());
  const results = calls.map(() => 'never settles');
  let timer;
  const uncaught = [];
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit);
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => {
      uncaught.push(error);
      resolve();
    });
  });
  for (const name of names) prototype[name] = value;
  let all = 0;
  const done = new Promise((resolve) => {
    for (let index = 0; index < calls.length; index++) {
      Atomics.store(beat, 0, index + 1);
      const end = (result) => {
        results[index] = result;
        if (++all === calls.length) resolve();
      };
      try {
        const result = calls[index].call(given[index]);
        if (result instanceof Promise) result.then(end, end);
        else end(result);
      } catch (error) {
        end(error);
      }
    }
    Atomics.store(beat, 0, -1);
  });
  await Promise.race([done, late]);
  Atomics.store(beat, 0, 0);
  for (const name of names) delete prototype[name];
  clearTimeout(timer);
  return [...results, uncaught].map(shown);
}

/**
 * Starts a thread that writes the name of a call that takes more than 3 s, or 6 s after all calls,
 * and ends the process. Returns the memory for the number of the current call.
 */
function watchdog(calls) {
  const beat = new Int32Array(new SharedArrayBuffer(4));
  const labels = calls.map(({ name }) => name);
  const code = `const { beat, labels } = require('worker_threads').workerData;
  for (let last = 0, seconds = 0; ; last = Atomics.load(beat, 0)) {
    Atomics.wait(beat, 0, last, 1000);
    seconds = last !== 0 && Atomics.load(beat, 0) === last ? seconds + 1 : 0;
    if (seconds < (last > 0 ? 3 : 6)) continue;
    const hangs = labels[last - 1] ?? 'the event loop, after the calls';
    require('fs').writeSync(1, JSON.stringify({ hangs }) + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }`;
  new Worker(code, { eval: true, workerData: { beat, labels } }).unref();
  return beat;
}

/**
 * Makes all calls for each group of names, and writes a line before each, and one for each name
 * that changes a result. With `plain` the calls are operations of Node.js.
 */
export async function explore({ engine, array, kind, groups, plain }) {
  const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
  millrace.configure({ engine });
  const prototype = array ? Array.prototype : Object.prototype;
  const calls = plain ? plainOperations(engine) : callsOf();
  let limit = 10_000;
  let beat;
  const resultsWith = (names) => resultsOf(calls, prototype, names, values[kind], limit, beat);
  const expected = await resultsWith([]);
  const begin = performance.now();
  const again = await resultsWith([]);
  // Of Node.js many operations never end.
  limit = plain ? 8 * (performance.now() - begin) : 4000;
  beat = watchdog(calls);
  const isRight = (found, index) =>
    expected[index] === again[index] ? found === expected[index] : !isFailure(found);
  const search = async (names) => {
    say({ names });
    const found = await resultsWith(names);
    const wrong = [...calls, { name: 'uncaught errors' }].flatMap(({ name }, index) =>
      isRight(found[index], index)
        ? []
        : [`${name}: ${found[index].slice(0, 500)} instead of ${expected[index].slice(0, 100)}`],
    );
    if (wrong.length === 0) return;
    if (names.length === 1) return say({ name: names[0], wrong });
    const half = names.length >> 1;
    await search(names.slice(0, half));
    await search(names.slice(half));
  };
  for (const names of groups) await search(names);
  say({ succeeded: expected.slice(0, -1).filter((each) => !isFailure(each)).length });
  process.exit();
}
