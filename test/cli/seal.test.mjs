// millrace seal, open and keygen: what is left in the folder, whatever happens.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { openStream, openWithKey, sealStream, sealWithKey } from 'millrace/promises';

import { command, inFolder, notLinux, windows, without } from '../support/shell.mjs';

const require = createRequire(import.meta.url);
const { raiseMemoryLimit, readHeader } = require('../../cli/seal/header.js');
const { secretOptions } = require('../../cli/seal/secrets.js');
const { writeHeader } = require('../../dist/streams/sealed-streams.js')[
  'streams/sealed-file-header'
];

const key = randomBytes(32);
// Of secrets that others may read the commands warn.
process.umask(0o077);
const notSealedFile = 'not a sealed file: it does not begin with "millrace"';
const mayBeStream =
  `${notSealedFile}. It may be a sealed stream, which sealStream writes: open it with millrace ` +
  'open --stream ALGORITHM --key-file FILE, or with openStream';
const noStream = `${notSealedFile}, and its size is not that of a sealed stream`;
/** The least there is, so that the tests are quick. */
const quick = '--cost 10';
const message = randomBytes(100_000);

const assertPrivate = (path) => windows || assert.equal(statSync(path).mode & 0o777, 0o600);

/** Returns what a command writes to standard output. */
const made = async ($, line, stdin) =>
  (await $.millrace(line, { stdin, stdout: /^millrace/ })).stdout;

test('a passphrase: there and back, by a file, a descriptor and a pipe', () =>
  inFolder({ photos: message, pass: 'geheim\n' }, async ($) => {
    await $.millrace(`seal ${quick} -p pass photos`);
    assertPrivate($.path('photos.sealed'));
    await $.millrace('open -p pass photos.sealed', {
      stderr: 'millrace open: photos: File exists (use --force to replace it)\n',
      code: 1,
    });
    await $.millrace('open -p pass --force photos.sealed');
    assert.deepEqual(readFileSync($.path('photos')), message);
    assertPrivate($.path('photos'));
    await $.millrace('open -p pass -o - photos.sealed', { stdout: message });
    await $.millrace('open --passphrase-file pass', {
      stdin: readFileSync($.path('photos.sealed')),
      stdout: message,
    });
    await $.millrace('open --passphrase-fd 0 -o copy photos.sealed', { stdin: 'geheim' });
    assert.deepEqual(readFileSync($.path('copy')), message);
    const sealed = await made($, `seal ${quick} -a chacha20-poly1305 -p pass`, message);
    await $.millrace('open -p pass -', { stdin: sealed, stdout: message });
    assert.deepEqual(readdirSync($.folder).sort(), ['copy', 'pass', 'photos', 'photos.sealed']);
  }));

// The header by hand, so that the format cannot change unnoticed.
test('the format: a header that is the context of a sealed stream', () =>
  inFolder({ key }, async ($) => {
    const stdout = await made($, 'seal -k key', message);
    const header = Buffer.concat([Buffer.from('millrace'), Buffer.from([1, 1, 0, 0])]);
    assert.deepEqual(stdout.subarray(0, 12), header);
    const stream = openStream({ algorithm: 'aes-256-gcm', key, context: header });
    stream.end(stdout.subarray(12));
    assert.deepEqual(Buffer.concat(await stream.toArray()), message);
    $.write('pass', 'p');
    const seal = () => made($, 'seal -p pass -a chacha20-poly1305 --cost 11', message);
    const [sealed, again] = [await seal(), await seal()];
    assert.deepEqual(sealed.subarray(8, 15), Buffer.from([1, 2, 1, 19, 11, 8, 1]));
    assert.notDeepEqual(again.subarray(15, 31), sealed.subarray(15, 31), 'another salt');
  }));

test('keygen makes another key each time, which only its owner can read', () =>
  inFolder({}, async ($) => {
    await $.millrace('keygen new');
    assertPrivate($.path('new'));
    const keys = [readFileSync($.path('new')), await made($, 'keygen'), await made($, 'keygen')];
    await $.millrace('keygen -f new');
    keys.push(readFileSync($.path('new')));
    for (const each of keys) assert.match(each.toString(), /^millrace-key-1 [A-Za-z0-9+/]{43}=\n$/);
    assert.equal(new Set(keys.map(String)).size, 4);
    const sealed = await made($, 'seal -k new', 'x');
    $.write('utf16', Buffer.from(`\ufeff${keys[3]}`, 'utf16le'));
    await $.millrace('open -k utf16', { stdin: sealed, stdout: 'x' });
  }));

// Files of version 1, written before this test: every later version opens them.
test('files of earlier versions open', () =>
  inFolder({ pass: 'geheim' }, async ($) => {
    const bytes = Buffer.from([...Array(32).keys()]);
    $.write('key', bytes, 0o600);
    $.write('key-128', bytes.subarray(0, 16), 0o600);
    for (const [options, base64] of [
      [
        '-k key',
        'bWlsbHJhY2UBAQAAicOls7JQSNIEw7IA2SQs0WCrVeawWlcVVxYTV3KbyZCnJUv7c3vF3N/EIOVp6lrZUx3geBoA' +
          'ZTuKdcaWEeZ55NruxVrCsUTaQv8LnCVbA6/00VS90j8=',
      ],
      [
        '-p pass',
        'bWlsbHJhY2UBAQETCggBzsc4g7wD9VpM4hCO8xbE9z0VFQm0ocCdTL0AH+Iah2Lgek+2EwSr3O6kfYBiopW67PdO' +
          'urqd0ol21rauu6bnX0B9mz+Rfbp6aKTJcROLJu8sUGlnW5dkuZj+O/8nCo9Ht67Bqb5a',
      ],
      [
        '-k key-128 --stream aes-128-gcm --context v1',
        'xaqhXr8+HJN8uIwihefEmkjGMa49DkdoCkkaRBwUVzEL2Xazn4jVpa2D3xejYH/s/9yFq9I4I4cD7cvTycjN/cmd' +
          'sNz2FxisQBbTDztdHp1tzNCHajg=',
      ],
    ])
      await $.millrace(`open ${options}`, {
        stdin: Buffer.from(base64, 'base64'),
        stdout: 'attack at dawn',
      });
  }));

test('the command opens what sealWithKey sealed, and openWithKey what the command sealed', () =>
  inFolder({ key }, async ($) => {
    for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
      $.write('a.sealed', await sealWithKey(key, message, { algorithm }));
      await $.millrace('open -k key -o - a.sealed', { stdout: message });
      const sealed = await made($, `seal -k key -a ${algorithm}`, message);
      assert.deepEqual(await openWithKey(key, sealed), message);
    }
  }));

test('open --stream opens what sealStream wrote; without it the error names it', () =>
  inFolder({ key, 'key-128': key.subarray(0, 16) }, async ($) => {
    const write = async (name, options) => {
      const stream = sealStream(options);
      stream.end(message);
      $.write(name, Buffer.concat(await stream.toArray()));
    };
    await write('a', { algorithm: 'aes-256-gcm', key });
    await write('b', { algorithm: 'chacha20-poly1305', key, context: 'v1' });
    await write('c', { algorithm: 'aes-128-gcm', key: key.subarray(0, 16) });
    $.write('marked', `millrace-key-1 ${key.toString('hex', 0, 16)}\n`, 0o600);
    for (const line of [
      '--stream aes-256-gcm -k key a',
      '--stream chacha20-poly1305 --context v1 -k key b',
      '--stream aes-128-gcm -k key-128 c',
      '--stream aes-128-gcm -k marked c',
    ])
      await $.millrace(`open -o - ${line}`, { stdout: message });
    const sealed = readFileSync($.path('a'));
    $.write('cut', sealed.subarray(0, 56 + 16_400));
    $.write('start', sealed.subarray(0, 5));
    sealed[60] ^= 1;
    $.write('changed', sealed);
    await $.millrace('seal -k key -o file a');
    const wrong =
      'the stream was sealed with another key, algorithm or context, or its header was changed';
    const truncated = 'truncated: the end of the file is missing';
    for (const [line, text] of [
      ['-k key a', `a: ${mayBeStream}`],
      ['-k key start', `start: ${noStream}`],
      ['--stream chacha20-poly1305 -k key a', `a: ${wrong}`],
      ['--stream chacha20-poly1305 -k key b', `b: ${wrong}`],
      [
        '--stream aes-128-gcm -k key c',
        'key: not a key: expected a line that begins with millrace-key-1, as millrace keygen ' +
          'writes it, or exactly 16 bytes',
      ],
      ['--stream aes-256-gcm -k key cut', `cut: ${truncated}`],
      ['--stream aes-256-gcm -k key start', `start: ${truncated}`],
      ['--stream aes-256-gcm -k key changed', 'changed: changed or truncated near byte 0'],
      ['--stream aes-256-gcm -k key file', 'file: a sealed file: open it without --stream'],
    ])
      await $.millrace(`open -o x ${line}`, { stderr: `millrace open: ${text}\n`, code: 1 });
    assert.ok(!readdirSync($.folder).includes('x'));
    // The size of a pipe is not known.
    await $.millrace('open -k key', {
      stdin: message,
      stderr: `millrace open: 'standard input': ${mayBeStream}\n`,
      code: 1,
    });
  }));

test('open accepts every cost that seal allows', async () => {
  for (const [cost, p, accepted] of [
    [10, 1, true],
    [20, 1, true],
    [20, 17, true],
    [20, 18, false],
    [21, 1, false],
  ]) {
    const header = {
      algorithm: 'aes-256-gcm',
      scrypt: { N: 2 ** cost, r: 8, p, salt: new Uint8Array(randomBytes(16)) },
    };
    let rest = Buffer.from(writeHeader(header));
    const take = async (size) => {
      const taken = rest.subarray(0, size);
      rest = rest.subarray(size);
      return taken;
    };
    const read = await readHeader({ take, name: 'x', size: undefined });
    assert.deepEqual(
      { ...read, scrypt: { ...read.scrypt, salt: new Uint8Array(read.scrypt.salt) } },
      header,
    );
    const raise = () => raiseMemoryLimit(header.scrypt, 'x');
    if (accepted) raise();
    else assert.throws(raise, /more than 1 GiB of memory, or 30 seconds/);
  }
});

test('any change of a sealed file leaves no output', () =>
  inFolder({ pass: 'p', photos: message, key }, async ($) => {
    await $.millrace(`seal ${quick} -p pass photos -o good`);
    const good = readFileSync($.path('good'));
    /** Returns the file with another byte at one place. */
    const put = (at, byte = good[at] ^ 1) => Buffer.from(good).fill(byte, at, at + 1);
    const wrong = 'wrong passphrase or key, or the header was changed';
    const damaged = 'the header is damaged: use another copy of the file';
    const cases = [
      ['magic', put(0), mayBeStream],
      [
        'version',
        put(8, 2),
        'sealed in version 2 of the format; this millrace opens version 1: update it',
      ],
      ['algorithm', put(9, 2), wrong],
      ['unknown algorithm', put(9, 9), damaged],
      ['source', put(10, 3), damaged],
      ['size', put(11), damaged],
      ['cost', put(12, 9), wrong],
      [
        'huge cost',
        put(12, 30),
        'refused: deriving the key takes more than 1 GiB of memory, or 30 seconds, by its header',
      ],
      ['huge work', put(14, 255), wrong],
      ['salt', put(16), wrong],
      ['stream salt', put(35), wrong],
      ['commitment', put(60), wrong],
      ['first chunk', put(87), 'changed or truncated near byte 0'],
      ['third chunk', put(31 + 56 + 2 * 16400 + 5), 'changed or truncated near byte 32800'],
      ['tag', put(good.length - 1), 'changed or truncated near byte 98400'],
      ['cut in the header', good.subarray(0, 20), 'truncated: the end of the header is missing'],
      ['cut in the first bytes', good.subarray(0, 5), noStream],
      ['cut behind the header', good.subarray(0, 31), 'truncated: the end of the file is missing'],
      [
        'cut between chunks',
        good.subarray(0, 31 + 56 + 16400),
        'truncated: the end of the file is missing',
      ],
      ['longer', Buffer.concat([good, Buffer.from('x')]), 'changed or truncated near byte 98400'],
      ['empty', Buffer.alloc(0), noStream],
    ];
    for (const [title, bytes, message_] of cases) {
      $.write('bad.sealed', bytes);
      await $.millrace('open -p pass bad.sealed', {
        stderr: `millrace open: bad.sealed: ${message_}\n`,
        code: 1,
      });
      assert.deepEqual(
        readdirSync($.folder).sort(),
        ['bad.sealed', 'good', 'key', 'pass', 'photos'],
        title,
      );
    }
    // In a pipe what was authentic before it has gone out, and the exit code says that it is not
    // all.
    const part = await $.start(['open', '-p', 'pass'], { stdin: put(good.length - 1) }).ended;
    assert.equal(part.code, 1);
    assert.ok(
      message.subarray(0, part.stdout.length).equals(part.stdout) &&
        part.stdout.length < message.length,
    );
  }));

test('no error shows a word in the place of the file of a secret', () =>
  inFolder({ a: 'x', key }, async ($) => {
    await $.millrace('seal -k key a');
    await $.millrace(`seal ${quick} -p key -o by-words a`);
    for (const line of [
      'seal -f a',
      'open -o b a.sealed',
      'open -o b by-words',
      'open -o b --stream aes-256-gcm a',
    ])
      for (const { name } of secretOptions)
        for (const value of ['hunter2', 'hunter2/x', 'hunter2'.repeat(50)]) {
          const { code, stderr } = await $.start([...line.split(' '), `--${name}`, value]).ended;
          assert.equal(code, 1);
          assert.doesNotMatch(stderr.toString(), /hunter2/, `${line} --${name}`);
        }
  }));

test('open says what a file is that it cannot open', () =>
  inFolder({ a: 'x', key, p: 'p' }, async ($) => {
    const sealed = await made($, 'seal -k key', 'x');
    const other = await made($, 'keygen');
    for (const [content, what] of [
      [other, /: a key file, not a sealed file\n$/],
      [sealed.toString('base64'), /: a sealed file in base64: decode it first\n$/],
      [sealed.toString('hex'), /: a sealed file in hex: decode it first\n$/],
      [Buffer.from(`\ufeff${sealed.toString('latin1')}`, 'utf16le'), /: .*UTF-16.* into a file\n$/],
    ])
      for (const secret of ['-p p', '-k key', '--stream aes-256-gcm -k key'])
        await $.millrace(`open ${secret}`, { stdin: content, stderr: what, code: 1 });
    await assert.rejects(openWithKey(key, other), /a key file, not a sealed file/);
  }));

test('an output file that another process just made is refused', { skip: windows }, () =>
  inFolder({ key }, async ($) => {
    const { child, ended } = $.start(['seal', '-k', 'key', '-o', 'late', '-'], { stdin: null });
    await temporaryIn($);
    $.write('late', 'mine');
    child.stdin.end('x');
    const { code, stderr } = await ended;
    const message_ = 'millrace seal: late: File exists (use --force to replace it)\n';
    assert.deepEqual([code, stderr.toString()], [1, message_]);
    assert.equal(readFileSync($.path('late'), 'latin1'), 'mine');
    assert.deepEqual(readdirSync($.folder).sort(), ['key', 'late']);
  }),
);

test('a signal midway leaves nothing, and ends the process', { skip: windows }, () =>
  inFolder({ key }, async ($) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      const { child, ended } = $.start(['seal', '-k', 'key', '-o', 'out', '-'], { stdin: null });
      child.stdin.write(message);
      await temporaryIn($);
      child.kill(signal);
      const { code, signal: by, stderr } = await ended;
      assert.deepEqual([code, by, stderr.toString()], [null, signal, '']);
      assert.deepEqual(readdirSync($.folder), ['key']);
    }
  }),
);

test(
  'a small disk that fills up leaves no file',
  { skip: notLinux || without('unshare', ['-rm', 'true']) },
  () =>
    inFolder({ key, a: randomBytes(3 * 2 ** 20), 'disk/x': '' }, async ($) => {
      for (const [mount, line, left] of [
        ['size=1m none disk', 'seal -k key -o disk/out a', ''],
        [
          'size=64k none disk && head -c 1m /dev/zero > disk/zeros 2> /dev/null',
          'keygen disk/out',
          'zeros\n',
        ],
        [
          'size=32k none disk',
          'bench hash -a sha256 -s 64 -c node:crypto --time 1 --rounds 2 --html disk/out > /dev/null',
          '',
        ],
      ]) {
        const script =
          `mount -t tmpfs -o ${mount}; "${process.execPath}" "$0" ${line}; ` +
          'echo "code $?"; ls -A disk';
        const { stdout, stderr } = $.other('unshare', ['-rm', 'sh', '-c', script, command]);
        const name = line.split(' ')[0];
        assert.equal(stderr.toString(), `millrace ${name}: disk/out: No space left on device\n`);
        assert.equal(stdout.toString(), `code 1\n${left}`);
      }
    }),
);

/** Waits until the command has begun to write. */
async function temporaryIn($) {
  for (let waited = 0; waited < 20_000; waited += 10) {
    if (readdirSync($.folder).some((name) => name.endsWith('.tmp'))) return;
    await sleep(10);
  }
  assert.fail('no temporary file');
}
