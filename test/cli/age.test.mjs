// millrace age and its keygen: sessions, what is left in the folder, and age itself both ways.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';

import { inFolder, windows } from '../support/shell.mjs';
import { vectors } from '../support/vectors.mjs';

// Of secrets that others may read the commands warn.
process.umask(0o077);
const message = randomBytes(200_000);
const publicKey = /^Public key: (age1\S+)\n$/;

/** Creates an identity in key.txt; resolves to its recipient. */
async function keygen($, options = '') {
  const { stderr } = await $.millrace(`age keygen ${options} -o key.txt`, { stderr: publicKey });
  return publicKey.exec(stderr)[1];
}

test('keygen writes an identity that only its owner reads, and its recipient', () =>
  inFolder({}, async ($) => {
    for (const [options, start] of [
      ['', 'AGE-SECRET-KEY-1'],
      ['--pq', 'AGE-SECRET-KEY-PQ-1'],
      ['-pq', 'AGE-SECRET-KEY-PQ-1'],
    ]) {
      const { stdout, stderr } = await $.millrace(`age keygen ${options}`, {
        stdout: new RegExp(`^# created: \\S+Z\n# public key: age1\\S+\n${start}\\S+\n$`),
        stderr: publicKey,
      });
      const recipient = publicKey.exec(stderr)[1];
      assert.ok(stdout.includes(`# public key: ${recipient}\n`));
      await $.millrace('age keygen -y', { stdin: stdout, stdout: `${recipient}\n` });
    }
    await keygen($);
    if (!windows) assert.equal(statSync($.path('key.txt')).mode & 0o777, 0o600);
    await $.millrace('age keygen -o key.txt', { stderr: /key.txt: File exists/, code: 1 });
    await $.millrace('age keygen --pq -y', { stderr: /exclude each other; see/, code: 1 });
    await $.millrace('age keygen x', { stderr: /unexpected operand: x; see/, code: 1 });
    $.write('broken', 'AGE-SECRET-KEY-1ABCDEF\n');
    const { stderr } = await $.millrace('age keygen -y broken', { stderr: /broken: /, code: 1 });
    assert.doesNotMatch(stderr.toString(), /ABCDEF/);
    await $.millrace('age keygen --help', { stdout: /^usage: millrace age keygen / });
  }));

test('to recipients: there and back, by files, pipes and lists', () =>
  inFolder({ message, others: '# nobody else\n\n' }, async ($) => {
    for (const options of ['', '--pq']) {
      const recipient = await keygen($, options);
      $.write('others', `# only I\n${recipient}\n`);
      await $.millrace(`age -r ${recipient} -o a.age message`);
      await $.millrace('age -e -R others -o b.age', { stdin: message });
      await $.millrace('age -e -i key.txt -a -o c.age message');
      assert.match(
        readFileSync($.path('c.age'), 'latin1'),
        /^-----BEGIN AGE ENCRYPTED FILE-----\n/,
      );
      for (const name of ['a.age', 'b.age', 'c.age']) {
        await $.millrace(`age -d -i key.txt ${name}`, { stdout: message });
        const stdin = readFileSync($.path(name));
        await $.millrace(`age --decrypt --identity key.txt -o out -`, { stdin });
        assert.deepEqual(readFileSync($.path('out')), message);
      }
      if (!windows) assert.equal(statSync($.path('a.age')).mode & 0o777, 0o600);
      await $.millrace('age -d -i - a.age', {
        stdin: readFileSync($.path('key.txt')),
        stdout: message,
      });
      await $.other('rm', ['key.txt']);
    }
  }));

test('with a passphrase, and identities that are encrypted with one', () =>
  inFolder({ message, pass: 'geheim\n', wrong: 'falsch\n' }, async ($) => {
    await $.millrace('age --passphrase-file pass --cost 10 -o a.age message');
    await $.millrace('age -d --passphrase-file pass a.age', { stdout: message });
    await $.millrace('age -d --passphrase-fd 0 a.age', { stdin: 'geheim', stdout: message });
    await $.millrace('age -d --passphrase-file wrong -o out a.age', {
      stderr: 'millrace age: a.age: the passphrase of the age file is another one\n',
      code: 1,
    });
    const recipient = await keygen($);
    await $.millrace(`age -r ${recipient} -o b.age message`);
    await $.millrace('age -d --passphrase-file pass -o out b.age', {
      stderr: 'millrace age: b.age: encrypted to recipients: use --identity\n',
      code: 1,
    });
    await $.millrace('age -d -i key.txt -o out a.age', {
      stderr: 'millrace age: a.age: the age file has a passphrase, not recipients\n',
      code: 1,
    });
    assert.equal(existsSync($.path('out')), false);
  }));

test('an output is whole or as it was, and replaces what was there', () =>
  inFolder({ message, out: 'before' }, async ($) => {
    const recipient = await keygen($);
    await $.millrace(`age -r ${recipient} -o a.age message`);
    const file = readFileSync($.path('a.age'));
    const changed = Buffer.from(file);
    changed[150_000] ^= 1;
    $.write('changed.age', changed);
    const header = file.length - message.length - 4 * 16 - 16;
    $.write('cut.age', file.subarray(0, header + 16 + 65_552));
    $.write('header.age', file.subarray(0, 100));
    $.write('long.age', Buffer.concat([file, Buffer.from('x')]));
    const other = Buffer.from(file);
    // Another letter of base64.
    const letter = other.indexOf('\n--- ') + 10;
    other.write(other[letter] === 0x41 ? 'B' : 'A', letter);
    $.write('mac.age', other);
    $.write('none.age', 'hello');
    $.write(
      'bomb.age',
      `age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 30\n${'A'.repeat(43)}\n` +
        `--- ${'A'.repeat(43)}\n${'x'.repeat(32)}`,
    );
    $.write('pass', 'x');
    const before = readdirSync($.folder).sort();
    for (const [name, reason, secret = '-i key.txt'] of [
      ['changed.age', 'changed or truncated near byte 131104'],
      ['cut.age', 'changed or truncated near byte 0'],
      ['header.age', 'truncated: the end of the file is missing'],
      ['long.age', 'changed or truncated near byte 196656'],
      ['mac.age', 'the header of the age file was changed'],
      [
        'none.age',
        'not an age file: it begins neither with age-encryption.org/ nor with ' +
          '-----BEGIN AGE ENCRYPTED FILE-----',
      ],
      [
        'bomb.age',
        'refused: deriving the key takes more than 1 GiB of memory',
        '--passphrase-file pass',
      ],
    ]) {
      await $.millrace(`age -d ${secret} -o out ${name}`, {
        stderr: `millrace age: ${name}: ${reason}\n`,
        code: 1,
      });
      assert.equal(readFileSync($.path('out'), 'utf8'), 'before');
      assert.deepEqual(readdirSync($.folder).sort(), before);
    }
    await $.millrace('age -d -i key.txt -o out a.age');
    assert.deepEqual(readFileSync($.path('out')), message);
    for (const line of [
      `age -r ${recipient} -o message message`,
      'age -d -i key.txt -o key.txt a.age',
      `age -R key.txt -o key.txt message`,
    ])
      await $.millrace(line, { stderr: /millrace age: .*; see: millrace help age\n$/, code: 1 });
    assert.deepEqual(readFileSync($.path('message')), message);
    assert.match(readFileSync($.path('key.txt'), 'latin1'), /AGE-SECRET-KEY-1/);
  }));

test('options that contradict each other and wrong keys are named, and no secret is shown', () =>
  inFolder({ a: 'abc', 'b.age': '', pass: 'x', list: 'nope\n' }, async ($) => {
    const recipient = await keygen($);
    const identity = /AGE-SECRET-KEY-1\w+/.exec(readFileSync($.path('key.txt'), 'latin1'))[0];
    for (const [line, reason] of [
      ['a', 'no recipients: use --recipient, --recipients-file or --passphrase'],
      [`-d -r ${recipient} a`, '--recipient and --decrypt exclude each other'],
      ['-d -e a', '--encrypt and --decrypt exclude each other'],
      ['-d -p a', '--passphrase and --decrypt exclude each other'],
      ['-i key.txt a', '--identity is for --decrypt; to encrypt to identities add --encrypt'],
      [`-r ${recipient} -p a`, '--recipient and a passphrase exclude each other'],
      [`-r ${recipient} --cost 10 a`, '--cost applies to passphrases, not to recipients'],
      ['-d -i key.txt --passphrase-file pass a', '--passphrase-file and --identity exclude'],
      ['-r nope a', '--recipient nope: line 1 is not a recipient'],
      [`-r ${identity} a`, '--recipient (an identity): line 1 is an identity, which is secret'],
      ['-R list a', 'list: line 1 is not a recipient'],
      ['-d -i list a', 'list: line 1 is not an identity'],
      [`-d -i ${identity} a`, '--identity takes the name of a file, not the secret itself'],
      ['-d -i keey.txt a', 'keey.txt: No such file or directory'],
      ['-d --passphrase-file hunter2 b.age', '--passphrase-file takes the name of a file, not'],
      ['-R - -', 'standard input cannot be both the message and a key'],
      ['-p --passphrase-file pass --passphrase-fd 0 a', 'exclude each other'],
    ]) {
      const { stderr } = await $.millrace(`age ${line}`, {
        stderr: /; see: millrace help age\n|: No such file/,
        code: 1,
      });
      assert.ok(stderr.toString().includes(reason), `${line}: ${stderr}`);
      assert.ok(!stderr.toString().includes(identity.slice(16, 40)), line);
    }
  }));

test('age itself reads what millrace age writes, and the other way round', (t) =>
  inFolder({ message, pass: 'geheim\n' }, async ($) => {
    if ($.other('age', ['--version']) === undefined) return t.skip('skipped: age is not installed');
    const recipient = await keygen($);
    const ours = async (options) => {
      await $.millrace(`age ${options} -o ours.age message`);
      return 'ours.age';
    };
    const theirs = (...args) => {
      const { status, stderr } = $.other('age', [...args, '-o', 'theirs.age', 'message']);
      assert.equal(status, 0, stderr.toString());
      return 'theirs.age';
    };
    for (const { private: key, public: line, encrypted } of [
      { private: readFileSync($.path('key.txt')), public: recipient },
      ...vectors('age-ssh'),
    ]) {
      if (encrypted) continue;
      $.write('key', key);
      $.write('list', line);
      for (const armor of [[], ['-a']]) {
        const name = await ours(['-R list', ...armor].join(' '));
        const opened = $.other('age', ['-d', '-i', 'key', name]);
        assert.ok(opened.stdout.equals(message), opened.stderr.toString());
        await $.millrace(`age -d -i key ${theirs('-R', 'list', ...armor)}`, { stdout: message });
      }
    }
  }));
