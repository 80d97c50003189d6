// Files of age: the vectors of C2SP/CCTV in every form, there and back with every recipient,
// ranges, and hostile files: nothing that is not authentic is released, and nothing costs more than
// its limit.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';

import {
  decrypt,
  decryptRange,
  decryptStream,
  decryptTransformStream,
  encrypt,
  encryptStream,
  encryptTransformStream,
  generateIdentity,
  identityToRecipient,
} from 'millrace/age';
import { MillraceError } from 'millrace';

import { random } from '../support/random.mjs';
import { vectors } from '../support/vectors.mjs';

const rng = random('age');
const CHUNK = 65_536;
const quick = { passphrase: 'password', workFactor: 10 };
const identity = generateIdentity();
const hybrid = generateIdentity('mlkem768x25519');
const isPortable = process.env.MILLRACE_ENGINE === 'portable';
const noHybrid = isPortable && 'the portable engine has no hybrid recipients';
const recipient = identityToRecipient(identity);
const hybridRecipient = noHybrid ? '' : identityToRecipient(hybrid);

/** Passes bytes through a Node stream in pieces; resolves to what came out, and the error. */
async function through(stream, bytes, piece) {
  const outputs = [];
  const ended = new Promise((resolve) => {
    stream.on('data', (output) => outputs.push(output));
    stream.on('error', resolve).on('end', () => resolve(undefined));
  });
  for (let at = 0; at < bytes.length && !stream.destroyed; at += piece)
    if (!stream.write(bytes.subarray(at, at + piece)))
      await Promise.race([ended, new Promise((resolve) => stream.once('drain', resolve))]);
  if (!stream.destroyed) stream.end();
  const error = await ended;
  return { output: Buffer.concat(outputs), error };
}

async function throughWeb(transform, bytes) {
  const outputs = [];
  const readable = new Blob([bytes]).stream().pipeThrough(transform);
  try {
    for await (const output of readable) outputs.push(output);
  } catch (error) {
    return { output: Buffer.concat(outputs), error };
  }
  return { output: Buffer.concat(outputs), error: undefined };
}

const whole = async (file, options) => {
  try {
    return { output: await decrypt(file, options), error: undefined };
  } catch (error) {
    return { output: Buffer.alloc(0), error };
  }
};

const codesOf = {
  'no match': ['ERR_AUTHENTICATION'],
  'HMAC failure': ['ERR_AUTHENTICATION'],
  'header failure': ['ERR_FORMAT', 'ERR_TRUNCATED', 'ERR_WORK_LIMIT'],
  'armor failure': ['ERR_FORMAT', 'ERR_TRUNCATED'],
  'payload failure': ['ERR_AUTHENTICATION', 'ERR_FORMAT', 'ERR_TRUNCATED'],
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

for (const { name, expect, payload, identity: identities, passphrase, ...rest } of vectors('age'))
  test(`CCTV: ${name}: ${expect}`, { skip: /hybrid/.test(name) && noHybrid }, async () => {
    const raw = Buffer.from(rest.file, 'base64');
    const file = rest.compressed === 'zlib' ? inflateSync(raw) : raw;
    const options = {
      identities: identities ?? identity,
      ...(passphrase && { passphrase: passphrase[0] }),
    };
    const forms = [
      whole(file, options),
      through(decryptStream(options), file, 64 * 1024),
      through(decryptStream(options), file, file.length < 10_000 ? 1 : 999),
      throughWeb(decryptTransformStream(options), file),
    ];
    for (const { output, error } of await Promise.all(forms)) {
      if (expect === 'success') {
        assert.equal(error, undefined);
        assert.equal(sha256(output), payload);
        continue;
      }
      assert.ok(error instanceof MillraceError, String(error?.stack));
      assert.ok(codesOf[expect].includes(error.code), `${error.code} ${error.message}`);
      // Whole runs of chunks are released, all of them of what is authentic.
      if (payload === undefined) assert.equal(output.length, 0);
      assert.equal(output.length % CHUNK, 0);
    }
    if (expect !== 'success' || rest.armored) return;
    const message = await decrypt(file, options);
    const read = (start, end) => file.subarray(start, end);
    for (const [start, end] of [
      [0, 10],
      [CHUNK - 1, CHUNK + 1],
      [CHUNK, 2 * CHUNK],
      [0, 2 ** 30],
    ])
      assert.deepEqual(
        await decryptRange(read, { ...options, start, end }),
        message.subarray(start, end),
      );
  });

const sizes = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 17 * CHUNK, 40 * CHUNK + 5];

for (const [kind, sealing, opening] of [
  [
    'X25519',
    { recipients: [identityToRecipient(generateIdentity()), recipient] },
    { identities: identity },
  ],
  [
    'hybrid',
    { recipients: `# a comment\n\n${hybridRecipient}\n` },
    { identities: [identity, hybrid] },
  ],
  ['passphrase', quick, { passphrase: Buffer.from('password'), identities: identity }],
]) {
  const skip = kind === 'hybrid' && noHybrid;
  test(`${kind}: there and back in every form`, { skip }, async () => {
    for (const size of sizes)
      for (const armor of [false, true]) {
        const message = randomBytes(size);
        const options = { ...sealing, armor };
        const files = [
          await encrypt(message, options),
          (await through(encryptStream(options), message, 100_000)).output,
          (await throughWeb(encryptTransformStream(options), message)).output,
        ];
        for (const file of files) {
          assert.equal(file.subarray(0, 11).equals(Buffer.from('-----BEGIN ')), armor);
          if (armor) assert.match(file.toString(), /^(?!.{65})[^]*[^\n]\n$/);
          assert.ok((await decrypt(file, opening)).equals(message));
          for (const found of [
            await through(decryptStream(opening), file, 70_000),
            await throughWeb(decryptTransformStream(opening), file),
          ]) {
            assert.equal(found.error, undefined);
            assert.ok(found.output.equals(message));
          }
        }
      }
  });
}

test('a range has the bytes of the message, and reads only its chunks', async () => {
  for (const size of sizes) {
    const message = randomBytes(size);
    const file = await encrypt(message, { recipients: recipient });
    const headerSize = file.indexOf('\n--- ') + 49;
    for (const start of [0, 1, CHUNK - 1, CHUNK, 5 * CHUNK, size])
      for (const end of [start, start + 1, start + CHUNK, size + 100]) {
        if (end < start) continue;
        const read = (from, to) => {
          if (from >= headerSize + 16) {
            const first = Math.floor(start / CHUNK);
            assert.equal(from, headerSize + 16 + first * (CHUNK + 16));
            assert.ok(to <= headerSize + 17 + Math.ceil(end / CHUNK) * (CHUNK + 16));
          }
          return Promise.resolve(file.subarray(from, to));
        };
        const options = { identities: identity, start, end };
        assert.deepEqual(await decryptRange(read, options), message.subarray(start, end));
      }
  }
});

test('a range of a changed or truncated file is refused', async () => {
  const file = await encrypt(randomBytes(3 * CHUNK), { recipients: recipient });
  const cut = file.length - 65_552;
  const options = { identities: identity, start: CHUNK, end: 2 * CHUNK };
  const of = (bytes) => (start, end) => bytes.subarray(start, end);
  await assert.rejects(decryptRange(of(file.subarray(0, cut)), options), {
    code: 'ERR_AUTHENTICATION',
  });
  await assert.rejects(decryptRange(of(file.subarray(0, cut - 65_540)), options), {
    code: 'ERR_TRUNCATED',
  });
  await assert.rejects(decryptRange(of(file.subarray(0, 100)), options), { code: 'ERR_TRUNCATED' });
  const changed = Buffer.from(file);
  changed[file.length - 100_000] ^= 1;
  await assert.rejects(decryptRange(of(changed), options), { code: 'ERR_AUTHENTICATION' });
  await assert.rejects(
    decryptRange(() => file, options),
    { code: 'ERR_ARGUMENT_VALUE' },
  );
  const armored = await encrypt('a', { recipients: recipient, armor: true });
  await assert.rejects(decryptRange(of(armored), options), { code: 'ERR_FORMAT' });
});

test('every change of a file is refused, and no byte of a changed run is released', async () => {
  const message = randomBytes(3 * CHUNK);
  const file = await encrypt(message, { recipients: recipient });
  for (let step = 0; step < 200; step++) {
    const changed = Buffer.from(file);
    const at = step < 100 ? step * 3 : rng.below(file.length);
    changed[at] ^= 1 << (step % 8);
    const found = await through(decryptStream({ identities: identity }), changed, 20_000);
    assert.ok(found.error instanceof MillraceError, `byte ${at} was changed`);
    assert.ok(message.subarray(0, found.output.length).equals(found.output));
    await assert.rejects(decrypt(changed, { identities: identity }), { code: found.error.code });
  }
  for (let size = 0; size < file.length; size += size < 300 ? 1 : 9973) {
    const { error, output } = await whole(file.subarray(0, size), { identities: identity });
    assert.match(error?.code ?? 'opened', /^ERR_(TRUNCATED|AUTHENTICATION)$/, `${size} bytes`);
    assert.equal(output.length, 0);
  }
});

test('of a large message in memory the first changed chunk is named', async () => {
  const message = randomBytes(2 ** 25 + 3);
  const options = { identities: identity };
  const file = await encrypt(message, { recipients: recipient });
  assert.ok(message.equals((await whole(file, options)).output));
  assert.ok(message.equals((await through(decryptStream(options), file, 2 ** 20)).output));
  const text = await encrypt(message, { recipients: recipient, armor: true });
  assert.ok(message.equals(await decrypt(text, options)));
  const changed = Buffer.from(file);
  for (const chunk of [511, 400, 77]) {
    changed[file.length - message.length + chunk * CHUNK] ^= 1;
    await assert.rejects(decrypt(changed, options), {
      code: 'ERR_AUTHENTICATION',
      message: new RegExp(`chunk ${chunk} of`),
    });
    // A missing end is not reported before a change.
    await assert.rejects(decrypt(changed.subarray(0, -10), options), {
      code: 'ERR_AUTHENTICATION',
    });
  }
  await assert.rejects(decrypt(file.subarray(0, -10), options), { code: 'ERR_TRUNCATED' });
  const controller = new AbortController();
  const aborted = decrypt(file, { ...options, signal: controller.signal });
  setImmediate(() => controller.abort(new Error('enough')));
  await assert.rejects(aborted, { message: 'enough' });
});

/** Returns a header with these stanzas and a MAC that cannot be right. */
const headed = (...stanzas) =>
  Buffer.from(`age-encryption.org/v1\n${stanzas.join('')}--- ${'A'.repeat(43)}\n${'x'.repeat(64)}`);
const stanza = (words, body = 'A'.repeat(43)) => `-> ${words}\n${body}\n`;

test('a cost bomb is refused before any work', async () => {
  for (const factor of ['21', '30', '63', '64', '4294967296', '9'.repeat(1000)]) {
    const begin = performance.now();
    const file = headed(stanza(`scrypt ${'A'.repeat(22)} ${factor}`));
    await assert.rejects(decrypt(file, { passphrase: 'x' }), { code: 'ERR_WORK_LIMIT' });
    assert.ok(performance.now() - begin < 500);
  }
  const file = await encrypt('a', { ...quick, workFactor: 12 });
  await assert.rejects(decrypt(file, { passphrase: 'password', maxWorkFactor: 11 }), {
    code: 'ERR_WORK_LIMIT',
  });
});

test('10,000 stanzas do not block the event loop, and an abort stops the search', async () => {
  const words = `X25519 ${Buffer.alloc(32, 9).toString('base64').slice(0, 43)}`;
  const file = headed(stanza(words).repeat(9900));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await assert.rejects(decrypt(file, { identities: identity }), { code: 'ERR_AUTHENTICATION' });
  assert.ok(turns > 20, `${turns} turns`);
  clearInterval(timer);
  const begin = performance.now();
  const many = Array.from({ length: 100 }, () => generateIdentity());
  const signal = AbortSignal.timeout(50);
  await assert.rejects(decrypt(file, { identities: many, signal }), { name: 'TimeoutError' });
  assert.ok(performance.now() - begin < 5000);
});

test('a header is bounded: endless lines, stanzas and bytes', async () => {
  const before = process.memoryUsage.rss();
  for (const part of ['-> x ', 'A', '-> x y\n\n', '\n']) {
    const stream = decryptStream({ identities: identity });
    const error = new Promise((resolve) => stream.once('error', resolve));
    stream.write('age-encryption.org/v1\n');
    const piece = Buffer.from(part.repeat(2 ** 16));
    for (let sent = 0; sent < 2 ** 26 && !stream.destroyed; sent += piece.length)
      if (!stream.write(piece)) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await error).code, 'ERR_FORMAT');
  }
  assert.ok(process.memoryUsage.rss() - before < 150 * 2 ** 20);
});

test('recipients whose header would not be read are refused', { skip: noHybrid }, async () => {
  const recipients = Array.from({ length: 700 }, () => hybridRecipient);
  await assert.rejects(encrypt('a', { recipients }), { code: 'ERR_ARGUMENT_VALUE' });
  const file = await encrypt('a', { recipients: recipients.slice(0, 600) });
  assert.equal((await decrypt(file, { identities: hybrid })).toString(), 'a');
});

test('what is no age file is refused at its first bytes', async () => {
  for (const text of ['hello', 'age-encryption.com/v1\n', '-----BEGIN PGP MESSAGE-----\n', '\0'])
    await assert.rejects(decrypt(Buffer.from(text.padEnd(100)), { identities: identity }), {
      code: 'ERR_FORMAT',
    });
  await assert.rejects(decrypt(Buffer.alloc(0), { identities: identity }), {
    code: 'ERR_TRUNCATED',
  });
  const spaces = Buffer.alloc(2 ** 20, ' ');
  await assert.rejects(decrypt(spaces, { identities: identity }), { code: 'ERR_FORMAT' });
});

test('malformed stanzas, MACs and shares are refused as such', async () => {
  const share = Buffer.alloc(32, 9).toString('base64').slice(0, 43);
  for (const file of [
    headed(),
    headed(stanza(`X25519 ${share} x`)),
    headed(stanza(`X25519 ${share.slice(1)}`)),
    headed(stanza(`X25519 ${share.slice(0, -1)}l`)),
    headed(stanza(`X25519 ${'A'.repeat(43)}`)),
    headed(stanza(`X25519 ${share}`, 'A'.repeat(42))),
    headed(stanza(`X25519 ${share}`, `${'A'.repeat(43)}=`)),
    headed(stanza('X25519  x')),
    headed(stanza('X25519 \x7f')),
    headed(stanza('x', `${'A'.repeat(64)}`)),
    headed(stanza('x', `${'A'.repeat(65)}\n`)),
    headed(stanza(`scrypt ${'A'.repeat(22)} 10`), stanza(`X25519 ${share}`)),
  ])
    await assert.rejects(
      decrypt(file, { identities: identity, passphrase: 'x' }),
      { code: 'ERR_FORMAT' },
      file.toString(),
    );
});

test('wrong options are refused at the call, and no secret is in a message', async () => {
  const file = await encrypt('a', { recipients: recipient });
  const otherSum = identity.slice(0, -1) + (identity.endsWith('Q') ? 'P' : 'Q');
  const cases = [
    [() => encrypt('a', {}), 'ERR_MISSING_ARGUMENT'],
    [() => encrypt('a', { ...quick, recipients: recipient }), 'ERR_MISSING_ARGUMENT'],
    [() => encrypt('a'), 'ERR_MISSING_ARGUMENT'],
    [() => encrypt(1, quick), 'ERR_ARGUMENT_TYPE'],
    [() => encrypt('a', { passphrase: '' }), 'ERR_ARGUMENT_VALUE'],
    [() => encrypt('a', { ...quick, workFactor: 23 }), 'ERR_ARGUMENT_VALUE'],
    [() => encrypt('a', { ...quick, workFactor: '10' }), 'ERR_ARGUMENT_TYPE'],
    [() => encrypt('a', { ...quick, armor: 1 }), 'ERR_ARGUMENT_TYPE'],
    [() => encrypt('a', { ...quick, armour: true }), 'ERR_ARGUMENT_VALUE'],
    [() => encrypt('a', { recipients: 5 }), 'ERR_ARGUMENT_TYPE'],
    ...(noHybrid
      ? [[async () => identityToRecipient(hybrid), 'ERR_KEY_NOT_SUPPORTED']]
      : [[() => encrypt('a', { recipients: [recipient, hybridRecipient] }), 'ERR_ARGUMENT_VALUE']]),
    [() => encrypt('a', { recipients: `${recipient}x` }), 'ERR_KEY_ENCODING'],
    [() => encrypt('a', { recipients: recipient.toUpperCase() }), 'ERR_KEY_ENCODING'],
    [() => encrypt('a', { recipients: identity }), 'ERR_KEY_ENCODING'],
    [() => encrypt('a', { recipients: 'ssh-dss AAAA' }), 'ERR_KEY_NOT_SUPPORTED'],
    [() => encrypt('a', { recipients: 'ssh-ed25519 AAAA' }), 'ERR_KEY_ENCODING'],
    [() => decrypt(file, {}), 'ERR_MISSING_ARGUMENT'],
    [() => decrypt(file, { identities: [] }), 'ERR_MISSING_ARGUMENT'],
    [() => decrypt('text', { identities: identity }), 'ERR_ARGUMENT_TYPE'],
    [() => decrypt(file, { identities: otherSum }), 'ERR_KEY_ENCODING'],
    [() => decrypt(file, { identities: `\n${identity.slice(0, 40)}` }), 'ERR_KEY_ENCODING'],
    [() => decrypt(file, { identities: 'AGE-PLUGIN-X-1ABC' }), 'ERR_KEY_NOT_SUPPORTED'],
    [() => decrypt(file, { identities: [{}] }), 'ERR_ARGUMENT_TYPE'],
    [() => decrypt(file, { ...quick }), 'ERR_ARGUMENT_VALUE'],
    [() => decryptRange(file, { identities: identity, end: 1 }), 'ERR_ARGUMENT_TYPE'],
    [() => decryptRange(() => file, { identities: identity }), 'ERR_ARGUMENT_TYPE'],
    [async () => generateIdentity('rsa'), 'ERR_ARGUMENT_VALUE'],
    [async () => generateIdentity(1), 'ERR_ARGUMENT_TYPE'],
    [async () => identityToRecipient(recipient), 'ERR_KEY_ENCODING'],
    [async () => identityToRecipient(), 'ERR_MISSING_ARGUMENT'],
    [async () => decryptStream({}), 'ERR_MISSING_ARGUMENT'],
  ];
  for (const [run, code] of cases)
    await assert.rejects(
      async () => run(),
      (error) => {
        assert.equal(error.code, code, `${run}: ${error.message}`);
        for (const secret of [identity, hybrid])
          for (let at = 20; at < 60; at += 8)
            assert.ok(!error.message.includes(secret.slice(at, at + 8)), error.message);
        return true;
      },
    );
});

test('identities and recipients are copied at the call', async () => {
  const [message, secret] = [Buffer.from('a message'), Buffer.from(identity)];
  const passphrase = Buffer.from('password');
  const pending = encrypt(message, { ...quick, passphrase });
  for (const each of [message, passphrase]) each.fill(0);
  const file = await pending;
  const opening = decrypt(file, { passphrase: 'password' });
  file.fill(0);
  assert.equal((await opening).toString(), 'a message');
  const other = await encrypt('b', { recipients: recipient });
  const decrypting = decrypt(other, { identities: secret });
  secret.fill(0);
  assert.equal((await decrypting).toString(), 'b');
});

for (const { type, encrypted, private: key, public: line, pem, file } of vectors('age-ssh'))
  test(`an SSH key ${type}${encrypted ? ' with a passphrase' : ''}`, async () => {
    if (encrypted) {
      await assert.rejects(decrypt(headed(stanza('x')), { identities: key }), {
        code: 'ERR_KEY_NOT_SUPPORTED',
      });
    } else {
      for (const identities of [key, Buffer.from(key), pem ?? key, key.replaceAll('\n', '\r\n')]) {
        const opened = await decrypt(Buffer.from(file, 'base64'), { identities });
        assert.equal(opened.toString(), 'attack at dawn');
      }
      const own = await encrypt('a message', { recipients: [`# mine\n${line}`, recipient] });
      for (const identities of [key, identity, [generateIdentity(), key]])
        assert.equal((await decrypt(own, { identities })).toString(), 'a message');
    }
    for (let at = 0; at < key.length; at += 31) {
      const changed = `${key.slice(0, at)}${key[at] === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`;
      await decrypt(headed(stanza('x')), { identities: changed }).catch(({ code }) =>
        assert.match(code, /^ERR_(KEY_\w+|AUTHENTICATION|PASSPHRASE)$/),
      );
    }
    const words = line.split(' ');
    for (const cut of [4, 20, 40, words[1].length - 4])
      await assert.rejects(encrypt('a', { recipients: `${type} ${words[1].slice(0, cut)}` }), {
        code: 'ERR_KEY_ENCODING',
      });
  });
