// `millrace bench scrypt`, and `node scrypt-bench.mjs`: compares util.promisify(crypto.scrypt) with
// the callback and a hand-written promise when many calls are in flight, and Millrace's scrypt with
// all of them.
//
// Unlike other commands it exits with 2 for a bad option, as the original package does.

'use strict';

const crypto = require('node:crypto');

const { readArguments } = require('../../arguments.js');
const { startProgress } = require('../../progress.js');
const {
  UserError,
  UsageError,
  fail,
  print,
  logError,
  logLine,
  setCommandName,
} = require('../../ui.js');
const { runBatch } = require('./batch.js');
const { csvHeader, csvRow, doneLine, failureLine, legend, markdownTable } = require('./report.js');
const { options, readSettings } = require('./settings.js');
const { nodeVariants, makeVariants, variantNames } = require('./variants.js');

/** RFC 7914, section 12, the third. */
const vector = {
  password: Buffer.from('pleaseletmein'),
  salt: Buffer.from('SodiumChloride'),
  cost: { N: 16384, r: 8, p: 1, maxmem: 33_554_432 },
  key: Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  ),
};

/** @type {Omit<import('../../commands.js').Command, 'run'>} */
const description = {
  usage: '[OPTION]...',
  about: `Calls scrypt many times at once in several call styles. Reports the calls a second and the
latency of a call, including its wait: the median (p50) and the 90th and 99th percentiles.

callback, utilPromisify and manualPromise wrap the same call of node:crypto, which runs on the
threads of UV_THREADPOOL_SIZE. millrace and millraceCallback are Millrace's own scrypt.

The exit code is 0 if every call succeeded, 1 if one failed, and 2 for a bad option.`,
  options,
  examples: [
    ['millrace bench scrypt --iterations=100 --concurrency=1,16', 'a short run'],
    [
      'UV_THREADPOOL_SIZE=16 millrace bench scrypt --mode=random --csv > scrypt.csv',
      'with more threads for node:crypto, as CSV',
    ],
  ],
};

/**
 * Runs `millrace bench scrypt`, or by its original name `node scrypt-bench.mjs`.
 *
 * @param {readonly string[]} args
 * @param {string} program
 * @param {readonly string[]} usual the variants if none are named
 * @returns {Promise<number>} the exit code
 */
async function benchScrypt(args, program = 'millrace bench scrypt', usual = variantNames) {
  setCommandName(program.replace(/^node (.*)\.mjs$/, '$1'));
  let settings;
  try {
    const { values, operands } = readArguments(options, args);
    if (values.help) {
      const { commandHelp } = require('../../help.js');
      const help = commandHelp('bench scrypt', description);
      print(help.replaceAll('millrace bench scrypt', program));
      return 0;
    }
    if (operands.length > 0) throw new UsageError(`unexpected operand: ${operands[0]}`);
    settings = readSettings(values, usual);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    logError(`${error.message}; see: ${program} --help`);
    return 2;
  }
  return measure(settings);
}

/**
 * Runs `node scrypt-bench.mjs ARGS`: the original package, with its variants. Sets the exit code.
 *
 * @param {readonly string[]} args
 */
async function standalone(args) {
  process.exitCode = await benchScrypt(args, 'node scrypt-bench.mjs', nodeVariants).catch(fail);
}

/** @param {import('./settings.js').Settings} settings */
async function measure(settings) {
  // The original package writes everything to stdout. With --csv only the CSV goes there.
  const writeLine = settings.csv ? logLine : (line) => print(`${line}\n`);
  const made = makeVariants(settings.variants);
  const { variants, missing, reason } = made;
  if (missing.length > 0) logError(`not available: ${missing.join(', ')}: ${reason}`);
  if (variants.length === 0) return 1;
  introduce(settings, made, writeLine);
  let code = (await allRight(variants)) ? 0 : 1;

  if (settings.csv) print(`${csvHeader}\n`);
  const batches = settings.concurrencies.map(() => []);
  for (const variant of variants) {
    for (const [at, concurrency] of settings.concurrencies.entries()) {
      const batch = await watched(variant, concurrency, settings);
      batches[at].push(batch);
      if (settings.csv) print(`${csvRow(batch, settings)}\n`);
      if (settings.progress) writeLine(doneLine(batch));
      for (const failure of batch.failures) logError(failureLine(batch, failure));
      if (batch.fail > 0) code = 1;
    }
  }
  if (settings.csv) return code;
  for (const [at, concurrency] of settings.concurrencies.entries())
    print(`\nConcurrency ${concurrency}\n\n${markdownTable(batches[at])}\n`);
  print(`\n${legend}\n`);
  return code;
}

/** Prints what is measured, and checks node:crypto's scrypt with a test vector. */
function introduce(settings, { variants, threads }, writeLine) {
  const { iterations, concurrencies, keylen, mode, seed, cost } = settings;
  const { password, salt, key } = vector;
  const found = crypto.scryptSync(password, salt, key.length, vector.cost);
  const right = found.equals(key);
  writeLine(
    `scrypt sanity: typeof=${typeof crypto.scrypt} sync=${found.toString('hex', 0, 4)} ` +
      `RFC 7914: ${right ? 'ok' : 'WRONG'}`,
  );
  if (!right) throw new UserError('scryptSync of node:crypto does not give the key of RFC 7914');
  writeLine(`Have variants: [ ${variants.map(({ name }) => `'${name}'`).join(', ')} ]`);
  writeLine(
    `config: iterations=${iterations} concurrencies=[${concurrencies.join(',')}] ` +
      `keyLen=${keylen} mode=${mode} seed=${seed} opts=${JSON.stringify(cost)}`,
  );
  const libuv = process.env.UV_THREADPOOL_SIZE || '4 (the default)';
  writeLine(
    `threads: UV_THREADPOOL_SIZE=${libuv}` +
      `${threads === undefined ? '' : `, millrace ${threads}`}; ` +
      `node ${process.version}, ${process.platform} ${process.arch}`,
  );
}

/** Calls each variant once before measuring: it starts the threads and checks the results. */
async function allRight(variants) {
  const { password, salt, cost, key } = vector;
  let right = true;
  for (const { name, scrypt } of variants) {
    const wrong = await scrypt(password, salt, key.length, cost).then(
      (found) =>
        Buffer.compare(found, key) === 0
          ? undefined
          : `gives ${Buffer.from(found).toString('hex', 0, 8)}..., not the key of RFC 7914`,
      (error) => error?.message ?? String(error),
    );
    if (wrong === undefined) continue;
    right = false;
    logError(`variant=${name}: ${wrong}`);
  }
  return right;
}

/** Runs a batch and shows progress on a terminal. */
async function watched(variant, concurrency, settings) {
  const line = startProgress(`${variant.name} conc=${concurrency}`, {
    total: settings.iterations,
    off: !settings.progress,
    unit: { amount: (done, total) => `${done} of ${total}`, memory: 10_000 },
  });
  try {
    return await runBatch(variant, concurrency, settings, () => line.add(1));
  } finally {
    line.end();
  }
}

module.exports = { benchScrypt, description, standalone };
