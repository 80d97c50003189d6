// millrace seal, open and keygen: what is left in the folder, whatever happens.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
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

const mode = (path) => statSync(path).mode & 0o777;

test('a passphrase: there and back, by a file, a descriptor and a pipe', () =>
  inFolder({ photos: message, pass: 'geheim\n' }, async ($) => {
    await $.millrace(`seal ${quick} -p pass photos`);
    if (!windows) assert.equal(mode($.path('photos.sealed')), 0o600);
    await $.millrace('open -p pass photos.sealed', {
      stderr: 'millrace open: photos: File exists (use --force to replace it)\n',
      code: 1,
    });
    await $.millrace('open -p pass --force photos.sealed');
    assert.deepEqual(readFileSync($.path('photos')), message);
    if (!windows) assert.equal(mode($.path('photos')), 0o600);
    await $.millrace('open -p pass -o - photos.sealed', { stdout: message });
    await $.millrace('open --passphrase-file pass', {
      stdin: readFileSync($.path('photos.sealed')),
      stdout: message,
    });
    await $.millrace('open --passphrase-fd 0 -o copy photos.sealed', { stdin: 'geheim' });
    assert.deepEqual(readFileSync($.path('copy')), message);
    const { stdout } = await $.millrace(`seal ${quick} -a chacha20-poly1305 -p pass`, {
      stdin: message,
      stdout: /^millrace/,
    });
    await $.millrace('open -p pass -', { stdin: stdout, stdout: message });
    assert.deepEqual(readdirSync($.folder).sort(), ['copy', 'pass', 'photos', 'photos.sealed']);
  }));

test('a passphrase is text, in whichever form of Unicode, or bytes', () =>
  inFolder(
    {
      composed: 'f\u00fcr\r\n',
      decomposed: 'fu\u0308r',
      bytes: Buffer.from([255, 252]),
      other: Buffer.from([255, 253]),
      blank: ' f\u00fcr\n',
    },
    async ($) => {
      const { stdout } = await $.millrace(`seal ${quick} -p composed`, {
        stdin: 'x',
        stdout: /^millrace/,
      });
      await $.millrace('open -p decomposed', { stdin: stdout, stdout: 'x' });
      $.write('marked', '\ufefff\u00fcr\r\n');
      $.write('utf16', Buffer.from('\ufefff\u00fcr\r\n', 'utf16le'));
      $.write('utf16be', Buffer.from('\ufefff\u00fcr', 'utf16le').swap16());
      for (const name of ['marked', 'utf16', 'utf16be'])
        await $.millrace(`open -p ${name}`, { stdin: stdout, stdout: 'x' });
      await $.millrace('open -p blank', {
        stdin: stdout,
        stderr: /wrong passphrase or key/,
        code: 1,
      });
      const raw = (await $.millrace(`seal ${quick} -p bytes`, { stdin: 'x', stdout: /^millrace/ }))
        .stdout;
      await $.millrace('open -p bytes', { stdin: raw, stdout: 'x' });
      await $.millrace('open -p other', {
        stdin: raw,
        stderr: /wrong passphrase or key/,
        code: 1,
      });
    },
  ));

test('keys: raw, hex, base64, and made by keygen', () =>
  inFolder(
    {
      raw: key,
      hex: `${key.toString('hex')}\n`,
      base64: key.toString('base64'),
      url: key.toString('base64url'),
      short: key.subarray(1),
      text: 'g'.repeat(64),
    },
    async ($) => {
      const { stdout } = await $.millrace('seal -k raw', { stdin: message, stdout: /^millrace/ });
      for (const form of ['hex', 'base64', 'url'])
        $.write(`marked-${form}`, `millrace-key-1 ${readFileSync($.path(form), 'latin1')}`);
      $.write('marked-bom', `\ufeff${readFileSync($.path('marked-hex'), 'latin1')}`);
      $.write(
        'marked-utf16',
        Buffer.from(`\ufeff${readFileSync($.path('marked-hex'))}`, 'utf16le'),
      );
      for (const form of [
        'raw',
        'marked-bom',
        'marked-utf16',
        'marked-hex',
        'marked-base64',
        'marked-url',
      ])
        await $.millrace(`open --key-file ${form}`, { stdin: stdout, stdout: message });
      const what =
        'not a key: expected a line that begins with millrace-key-1, as millrace keygen ' +
        'writes it, or exactly 32 bytes';
      for (const form of ['short', 'text'])
        await $.millrace(`open -k ${form}`, {
          stdin: stdout,
          stderr: `millrace open: ${form}: ${what}\n`,
          code: 1,
        });
      for (const form of ['hex', 'base64', 'url'])
        await $.millrace(`open -k ${form}`, {
          stdin: stdout,
          stderr:
            `millrace open: ${form}: ${what}; if this text is a key, put "millrace-key-1 " ` +
            'before it\n',
          code: 1,
        });
      // 32 characters are 32 bytes, and hardly a key.
      $.write('words', 'correct horse battery staple 32!');
      const weak = (
        await $.millrace('seal -k words', {
          stdin: 'x',
          stdout: /^millrace/,
          stderr:
            'millrace seal: warning: words: this key is text, which is easier to guess ' +
            'than random bytes; millrace keygen creates a key\n',
        })
      ).stdout;
      await $.millrace('open -k words', {
        stdin: weak,
        stdout: 'x',
        stderr: /^millrace open: warning: words: this key is text/,
      });
      await $.millrace('keygen new');
      if (!windows) assert.equal(mode($.path('new')), 0o600);
      assert.match(readFileSync($.path('new'), 'latin1'), /^millrace-key-1 [A-Za-z0-9+/]{43}=\n$/);
      await $.millrace('keygen new', {
        stderr: 'millrace keygen: new: File exists (use --force to replace it)\n',
        code: 1,
      });
      const before = readFileSync($.path('new'));
      await $.millrace('keygen -f new');
      assert.notDeepEqual(readFileSync($.path('new')), before);
      const printed = (await $.millrace('keygen', { stdout: /^millrace-key-1 .{44}\n$/ })).stdout;
      assert.notDeepEqual(
        printed,
        (await $.millrace('keygen', { stdout: /^millrace-key-1 .{44}\n$/ })).stdout,
      );
      await $.millrace('open -k new', {
        stdin: stdout,
        stderr: /wrong passphrase or key/,
        code: 1,
      });
    },
  ));

test(
  'seal warns of secrets that others may read',
  { skip: windows && 'Windows has no such modes' },
  () =>
    inFolder({ pass: 'p', a: 'x' }, async ($) => {
      $.write('key', key, 0o640);
      chmodSync($.path('pass'), 0o604);
      const warning = (readers, name) =>
        `millrace seal: warning: ${name}: ${readers} can read this file: run chmod 600\n`;
      await $.millrace('seal -k key a', { stderr: warning('its group', 'key') });
      await $.millrace(`seal ${quick} -f -p pass a`, { stderr: warning('everybody', 'pass') });
      chmodSync($.path('pass'), 0o600);
      await $.millrace('open -f -p pass a.sealed');
      // A pipe has no readers but us.
      await $.millrace(`seal ${quick} -f --passphrase-fd 0 a`, { stdin: 'p' });
    }),
);

test('the output may not be the input', () =>
  inFolder({ pass: 'p', a: 'x' }, async ($) => {
    symlinkSync('a', $.path('link'));
    linkSync($.path('a'), $.path('hard'));
    for (const other of ['a', './a', 'link', 'hard']) {
      await $.millrace(`seal ${quick} -p pass -f -o ${other} a`, {
        stderr:
          `millrace seal: ${other}: is also the input: use another --output; see: millrace ` +
          'help seal\n',
        code: 1,
      });
    }
    assert.equal(readFileSync($.path('a'), 'latin1'), 'x');
    await $.millrace(`seal ${quick} -p pass a`);
    const sealed = readFileSync($.path('a.sealed'));
    await $.millrace('open -p pass -f -o a.sealed a.sealed', {
      stderr: /is also the input/,
      code: 1,
    });
    assert.deepEqual(readFileSync($.path('a.sealed')), sealed);
  }));

test(
  'a closed standard input or output is an error',
  { skip: process.platform !== 'linux' && 'only Linux shows it' },
  () =>
    inFolder({ pass: 'p', a: 'x' }, async ($) => {
      const typed = (line) => $.other('sh', ['-c', `'${process.execPath}' '${command}' ${line}`]);
      for (const [line, name] of [
        [`seal ${quick} -p pass -o - a >&-`, 'standard output'],
        [`seal ${quick} -p pass <&-`, 'standard input'],
      ]) {
        const { status, stderr } = typed(line);
        assert.deepEqual(
          [status, stderr.toString()],
          [1, `millrace seal: ${name}: Bad file descriptor\n`],
          line,
        );
      }
      assert.equal(typed(`seal ${quick} -p pass -o - a > /dev/null < /dev/null`).status, 0);
    }),
);

// The header by hand, so that the format cannot change unnoticed.
test('the format: a header that is the context of a sealed stream', () =>
  inFolder({ key }, async ($) => {
    const { stdout } = await $.millrace('seal -k key', { stdin: message, stdout: /^millrace/ });
    const header = Buffer.concat([Buffer.from('millrace'), Buffer.from([1, 1, 0, 0])]);
    assert.deepEqual(stdout.subarray(0, 12), header);
    const stream = openStream({ algorithm: 'aes-256-gcm', key, context: header });
    stream.end(stdout.subarray(12));
    assert.deepEqual(Buffer.concat(await stream.toArray()), message);
    $.write('pass', 'p');
    const sealed = (
      await $.millrace('seal -p pass -a chacha20-poly1305 --cost 11', {
        stdin: message,
        stdout: /^millrace/,
      })
    ).stdout;
    assert.deepEqual(sealed.subarray(8, 15), Buffer.from([1, 2, 1, 19, 11, 8, 1]));
    const again = (
      await $.millrace('seal -p pass -a chacha20-poly1305 --cost 11', {
        stdin: message,
        stdout: /^millrace/,
      })
    ).stdout;
    assert.notDeepEqual(again.subarray(15, 31), sealed.subarray(15, 31), 'another salt');
  }));

// Files of version 1, written before this test: every later version opens them.
test('files of earlier versions open', () =>
  inFolder({ pass: 'geheim' }, async ($) => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
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
      const { stdout } = await $.millrace(`seal -k key -a ${algorithm}`, {
        stdin: message,
        stdout: /^millrace/,
      });
      assert.deepEqual(await openWithKey(key, stdout), message);
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
    const opened = (line, stdout) => $.millrace(`open -o - ${line}`, { stdout });
    await opened('--stream aes-256-gcm -k key a', message);
    await opened('--stream chacha20-poly1305 --context v1 -k key b', message);
    await opened('--stream aes-128-gcm -k key-128 c', message);
    await opened('--stream aes-128-gcm -k marked c', message);
    const refused = (line, message_) =>
      $.millrace(`open -o x ${line}`, { stderr: `millrace open: ${message_}\n`, code: 1 });
    const wrong = 'wrong key, algorithm or context, or the header was changed';
    await refused('-k key a', `a: ${mayBeStream}`);
    await refused('--stream chacha20-poly1305 -k key a', `a: ${wrong}`);
    await refused('--stream chacha20-poly1305 -k key b', `b: ${wrong}`);
    await refused(
      '--stream aes-128-gcm -k key c',
      'key: not a key: expected a line that begins with millrace-key-1, as millrace keygen ' +
        'writes it, or exactly 16 bytes',
    );
    const sealed = readFileSync($.path('a'));
    $.write('cut', sealed.subarray(0, 56 + 16_400));
    await refused(
      '--stream aes-256-gcm -k key cut',
      'cut: truncated: the end of the file is missing',
    );
    $.write('cut', sealed.subarray(0, 5));
    await refused(
      '--stream aes-256-gcm -k key cut',
      'cut: truncated: the end of the file is missing',
    );
    await refused('-k key cut', `cut: ${noStream}`);
    sealed[60] ^= 1;
    $.write('changed', sealed);
    await refused(
      '--stream aes-256-gcm -k key changed',
      'changed: changed or truncated near byte 0',
    );
    await $.millrace('seal -k key -o file a');
    await refused(
      '--stream aes-256-gcm -k key file',
      'file: a sealed file: open it without --stream',
    );
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
    if (accepted) raiseMemoryLimit(header.scrypt, 'x');
    else
      assert.throws(
        () => raiseMemoryLimit(header.scrypt, 'x'),
        /more than 1 GiB of memory, or 30 seconds/,
      );
  }
});

test('any change of a sealed file leaves no output', () =>
  inFolder({ pass: 'p', photos: message, key }, async ($) => {
    await $.millrace(`seal ${quick} -p pass photos -o good`);
    const good = readFileSync($.path('good'));
    const with_ = (at, change) => {
      const bytes = Buffer.from(good);
      bytes[at] = change(bytes[at]);
      return bytes;
    };
    const flip = (byte) => byte ^ 1;
    const wrong = 'wrong passphrase or key, or the header was changed';
    const damaged = 'the header is damaged: use another copy of the file';
    const cases = [
      ['magic', with_(0, flip), mayBeStream],
      [
        'version',
        with_(8, () => 2),
        'sealed in version 2 of the format; this millrace opens version 1: update it',
      ],
      ['algorithm', with_(9, () => 2), wrong],
      ['unknown algorithm', with_(9, () => 9), damaged],
      ['source', with_(10, () => 3), damaged],
      ['size', with_(11, flip), damaged],
      ['cost', with_(12, () => 9), wrong],
      [
        'huge cost',
        with_(12, () => 30),
        'refused: deriving the key takes more than 1 GiB of memory, or 30 seconds, by its header',
      ],
      ['huge work', with_(14, () => 255), wrong],
      ['salt', with_(16, flip), wrong],
      ['stream salt', with_(35, flip), wrong],
      ['commitment', with_(60, flip), wrong],
      ['first chunk', with_(87, flip), 'changed or truncated near byte 0'],
      ['third chunk', with_(31 + 56 + 2 * 16400 + 5, flip), 'changed or truncated near byte 32800'],
      ['tag', with_(good.length - 1, flip), 'changed or truncated near byte 98400'],
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
    await $.millrace('open -k key good -o x', {
      stderr: 'millrace open: good: sealed with a passphrase, not a key\n',
      code: 1,
    });
    await $.millrace('seal -k key photos -o with-key');
    await $.millrace('open -p pass with-key -o x', {
      stderr: 'millrace open: with-key: sealed with a key: use --key-file\n',
      code: 1,
    });
    // In a pipe what was authentic before it has gone out, and the exit code says that it is not
    // all.
    const part = await $.start(['open', '-p', 'pass'], { stdin: with_(good.length - 1, flip) })
      .ended;
    assert.equal(part.code, 1);
    assert.ok(
      message.subarray(0, part.stdout.length).equals(part.stdout) &&
        part.stdout.length < message.length,
    );
    assert.ok(!readdirSync($.folder).includes('x'));
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
    const file = '--key-file and --passphrase-file take the name of a file, not the secret itself';
    await $.millrace('seal -f -p hunter2 a', {
      stderr: `millrace seal: ${file}: No such file or directory; see: millrace help seal\n`,
      code: 1,
    });
  }));

test('open says what a file is that it cannot open', () =>
  inFolder({ a: 'x', key, p: 'p' }, async ($) => {
    const sealed = (await $.millrace('seal -k key', { stdin: 'x', stdout: /^millrace/ })).stdout;
    const { stdout } = await $.millrace('keygen', { stdout: /^millrace/ });
    for (const [content, what] of [
      [stdout, /: a key file, not a sealed file\n$/],
      [sealed.toString('base64'), /: a sealed file in base64: decode it first\n$/],
      [sealed.toString('hex'), /: a sealed file in hex: decode it first\n$/],
      [Buffer.from(`\ufeff${sealed.toString('latin1')}`, 'utf16le'), /: .*UTF-16.* into a file\n$/],
    ])
      for (const secret of ['-p p', '-k key', '--stream aes-256-gcm -k key'])
        await $.millrace(`open ${secret}`, { stdin: content, stderr: what, code: 1 });
    await assert.rejects(openWithKey(key, stdout), /a key file, not a sealed file/);
  }));

test('invalid options are refused', () =>
  inFolder({ a: 'x', p: 'p', empty: '', newline: '\n', key }, async ($) => {
    const refuse = (line, message_, command = line.split(' ')[0]) =>
      $.millrace(line, { stdin: '', stderr: `millrace ${command}: ${message_}\n`, code: 1 });
    const help = (name) => `; see: millrace help ${name}`;
    await refuse('seal a b -k key', `expected one file, got 2${help('seal')}`);
    await refuse(
      'seal a -k key -p p',
      `--key-file and --passphrase-file exclude each other${help('seal')}`,
    );
    await refuse(
      'seal -p -',
      `standard input cannot be both the secret and the message${help('seal')}`,
    );
    await refuse(
      'open --passphrase-fd 0',
      `standard input cannot be both the secret and the message${help('open')}`,
    );
    await refuse(
      'seal --passphrase-fd x a',
      `--passphrase-fd takes the number of an open file descriptor, not the passphrase${help('seal')}`,
    );
    await refuse('seal --passphrase-fd 1 a', `--passphrase-fd 1 is an output${help('seal')}`);
    await refuse(
      'seal --passphrase-fd 99 a',
      'file descriptor 99: Bad file descriptor'.replace(
        'file descriptor 99',
        "'file descriptor 99'",
      ),
    );
    for (const cost of ['9', '21', 'x'])
      await refuse(
        `seal --cost ${cost} -p p a`,
        `--cost must be a whole number from 10 to 20, not "${cost}"${help('seal')}`,
      );
    await refuse(
      'seal --cost 12 -k key a',
      `--cost applies to passphrases, not to keys${help('seal')}`,
    );
    await refuse(
      'seal -a aes-128-gcm -k key a',
      `--algorithm must be aes-256-gcm or chacha20-poly1305, not "aes-128-gcm"${help('seal')}`,
    );
    await refuse('seal -p empty a', 'empty: the passphrase is empty');
    await refuse('seal -p newline a', 'newline: the passphrase is empty');
    await refuse('seal -k key missing', 'missing: No such file or directory');
    await refuse('seal -k key .', '.: Is a directory');
    await refuse('seal -k key -o . a', '.: Is a directory');
    await refuse('seal -k key -o missing/b a', 'missing/b: No such file or directory');
    await refuse(
      'open -k key a',
      `a: the name does not end in .sealed: use --output FILE${help('open')}`,
    );
    await refuse('open -k key -o b a', `a: ${noStream}`);
    await refuse('open -k key -o b --context x a', `--context applies to --stream${help('open')}`);
    await refuse('open -o b --stream aes-256-gcm a', `--stream needs --key-file${help('open')}`);
    await refuse(
      'open -k key -o b --stream aes-192-gcm a',
      '--stream must be aes-128-gcm, aes-256-gcm, chacha20-poly1305, not "aes-192-gcm"' +
        help('open'),
    );
    await refuse('keygen a b', `expected one file, got 2${help('keygen')}`);
    assert.deepEqual(readdirSync($.folder).sort(), ['a', 'empty', 'key', 'newline', 'p']);
  }));

test(
  'an existing output file is refused, also a link and one that another process just made',
  { skip: windows },
  () =>
    inFolder({ a: message, key, target: 'old' }, async ($) => {
      symlinkSync('target', $.path('link'));
      symlinkSync('nowhere', $.path('dangling'));
      await $.millrace('seal -k key -o link a', {
        stderr: 'millrace seal: link: File exists (use --force to replace it)\n',
        code: 1,
      });
      await $.millrace('seal -k key -f -o link a');
      assert.equal(readlinkSync($.path('link')), 'target');
      await $.millrace('open -k key -o - target', { stdout: message });
      await $.millrace('seal -k key -o dangling a', {
        stderr: 'millrace seal: dangling: File exists (use --force to replace it)\n',
        code: 1,
      });
      const { child, ended } = $.start(['seal', '-k', 'key', '-o', 'late', '-'], { stdin: null });
      await temporaryIn($);
      $.write('late', 'mine');
      child.stdin.end('x');
      const { code, stderr } = await ended;
      assert.deepEqual(
        { code, stderr: stderr.toString() },
        { code: 1, stderr: 'millrace seal: late: File exists (use --force to replace it)\n' },
      );
      assert.equal(readFileSync($.path('late'), 'latin1'), 'mine');
      assert.deepEqual(readdirSync($.folder).sort(), [
        'a',
        'dangling',
        'key',
        'late',
        'link',
        'target',
      ]);
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
      assert.deepEqual(
        { code, by, stderr: stderr.toString() },
        { code: null, by: signal, stderr: '' },
      );
      assert.deepEqual(readdirSync($.folder), ['key']);
    }
  }),
);

test(
  'seal reports a full disk and ends silently when its reader closes the pipe',
  { skip: notLinux },
  () =>
    inFolder({ key, a: randomBytes(3 * 2 ** 20) }, async ($) => {
      await $.millrace('seal -k key -o /dev/full a', {
        stderr: 'millrace seal: /dev/full: No space left on device\n',
        code: 1,
      });
      const full = openSync('/dev/full', 'w');
      const { code, stderr } = await $.start(['seal', '-k', 'key', '-o', '-', 'a'], {
        stdio: ['pipe', full, 'pipe'],
      }).ended;
      closeSync(full);
      assert.deepEqual(
        { code, stderr: stderr.toString() },
        { code: 1, stderr: 'millrace seal: standard output: No space left on device\n' },
      );
      const { child, ended } = $.start(['seal', '-k', 'key', '-o', '-', 'a']);
      await once(child.stdout, 'readable');
      child.stdout.destroy();
      const gone = await ended;
      assert.deepEqual(
        { code: gone.code, stderr: gone.stderr.toString() },
        { code: 141, stderr: '' },
      );
      await $.millrace('seal -k key -o /dev/null a');
    }),
);

test(
  'a small disk that fills up leaves no file',
  { skip: notLinux || without('unshare', ['-rm', 'true']) },
  () =>
    inFolder({ key, a: randomBytes(3 * 2 ** 20), 'disk/x': '' }, async ($) => {
      const script =
        `mount -t tmpfs -o size=1m none disk && "${process.execPath}" "$0" seal -k key -o ` +
        'disk/out a; echo "code $?"; ls -A disk';
      const { command } = await import('../support/shell.mjs');
      const { stdout, stderr } = $.other('unshare', ['-rm', 'sh', '-c', script, command]);
      assert.equal(stderr.toString(), 'millrace seal: disk/out: No space left on device\n');
      assert.equal(stdout.toString(), 'code 1\n');
      const filled =
        'mount -t tmpfs -o size=64k none disk && head -c 1m /dev/zero > disk/zeros 2> ' +
        `/dev/null; "${process.execPath}" "$0" keygen disk/key; echo "code $?"; ls -A disk`;
      const making = $.other('unshare', ['-rm', 'sh', '-c', filled, command]);
      assert.equal(
        making.stderr.toString(),
        'millrace keygen: disk/key: No space left on device\n',
      );
      assert.equal(making.stdout.toString(), 'code 1\nzeros\n');
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
