// At a terminal: passphrases without echo, progress, colours. `script` gives the command one of its
// own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../support/child.mjs';
import { command, inFolder, notLinux, without } from '../support/shell.mjs';

/** That of util-linux: its -c takes a command and its -e returns the exit code. */
const skip = notLinux || without('script', ['-qec', 'true', '/dev/null']);

/**
 * Runs a line of the shell at a terminal, `millrace` being the command, and answers its questions.
 *
 * @param {(readonly [string | RegExp, string])[]} answers what to wait for, and what to type then
 */
function atTerminal($, line, answers = [], { columns = 80, env = {} } = {}) {
  const script =
    `stty cols ${columns}; millrace() { "${process.execPath}" "${command}" "$@"; }; ` +
    `${line}; code=$?; stty -a | grep -q ' echo ' && echo "echo is on"; exit $code`;
  const child = spawn('script', ['-qec', script, '/dev/null'], {
    cwd: $.folder,
    env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '', ...env },
  });
  let shown = '';
  let at = 0;
  const pending = [...answers];
  child.stdout.on('data', (bytes) => {
    shown += bytes;
    while (pending.length > 0) {
      const [question, answer] = pending[0];
      const rest = shown.slice(at);
      const text = typeof question === 'string' ? question : question.exec(rest)?.[0];
      if (text === undefined || !rest.includes(text)) break;
      at += rest.indexOf(text) + text.length;
      pending.shift();
      child.stdin.write(answer);
    }
  });
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, shown: shown.replaceAll('\r\n', '\n') })),
  );
}

const once = 'Passphrase: \n';
const twice = `${once}Repeat passphrase: \n`;

test('a passphrase is asked for twice, not shown, and asked for once to open', { skip }, () =>
  inFolder({ photos: 'message' }, async ($) => {
    for (const [line, code, shown, ...typed] of [
      ['seal --cost 10 photos', 0, twice, 'gehxx\x7f\x7feim\r', 'wrong\x15geheim\r'],
      ['open -o - photos.sealed | cat', 0, `${once}message`, 'geheim\r'],
      ['open < photos.sealed | cat', 0, `${once}message`, 'geheim\r'],
      ['seal --cost 10 -o pasted photos', 0, twice, 'geh\x1b[Deim\rgeheim\r'],
      ['open -o - pasted', 0, `${once}message`, 'geheim\r'],
      [
        'open -o out photos.sealed',
        1,
        `${once}millrace open: photos.sealed: wrong passphrase or key, or the header was changed\n`,
        'geheim \r',
      ],
      ['seal -o x photos', 1, `${twice}millrace seal: the passphrases differ\n`, 'a\r', 'b\r'],
      ['seal -o x photos', 1, `${once}millrace seal: the passphrase is empty\n`, '\r'],
      ['seal -o x photos', 130, once, 'secr\x03'],
    ]) {
      const answers = typed.map((answer, index) => [
        ['Passphrase: ', 'Repeat passphrase: '][index],
        answer,
      ]);
      const ended = await atTerminal($, `millrace ${line}`, answers);
      assert.deepEqual(ended, { code, shown: `${shown}echo is on\n` }, line);
    }
    assert.deepEqual(readdirSync($.folder).sort(), ['pasted', 'photos', 'photos.sealed']);
  }),
);

test('age asks for the passphrase of a file of identities', { skip }, () =>
  inFolder({ message: 'message' }, async ($) => {
    await $.millrace('age keygen -o key.txt', { stderr: /^/ });
    await $.millrace('age --encrypt -i key.txt -o file message');
    for (const armor of ['', '--armor ']) {
      const stdin = 'geheim';
      await $.millrace(`age ${armor}--passphrase-fd 0 --cost 10 -o key.age key.txt`, { stdin });
      for (const [line, code, shown, typed] of [
        ['-d -i key.age -o - file', 0, 'message', 'geheim\r'],
        ['--encrypt -i key.age -o other message', 0, '', 'geheim\r'],
        [
          '-d -i key.age -o out file',
          1,
          'millrace age: key.age: the passphrase of the age file is another one\n',
          'falsch\r',
        ],
      ])
        assert.deepEqual(
          await atTerminal($, `millrace age ${line}`, [['Passphrase: ', typed]]),
          { code, shown: `${once}${shown}echo is on\n` },
          line,
        );
      await $.millrace('age -d -i key.txt other', { stdout: 'message' });
    }
    assert.equal(readdirSync($.folder).includes('out'), false);
  }),
);

test('without a terminal it says what to do instead', { skip: skip || without('setsid') }, () =>
  inFolder({ photos: 'message', pass: 'geheim' }, async ($) => {
    await $.millrace('age keygen -o key.txt', { stderr: /^/ });
    for (const line of [
      'seal --cost 10 -p pass photos',
      'age --cost 10 --passphrase-file pass -o photos.age photos',
      'age --cost 10 --passphrase-file pass -a -o armored.age photos',
      'age --cost 10 --passphrase-file pass -o key.age key.txt',
      'age --encrypt -i key.txt -o other.age photos',
      'age --encrypt -i key.txt -a -o other.pem photos',
    ])
      await $.millrace(line, { stderr: /^/ });
    const none = 'no terminal to ask for a passphrase: ';
    const byPassphrase = `${none}use --passphrase-file or --passphrase-fd`;
    for (const [line, told] of [
      ['seal -o x photos', `${none}use --passphrase-file, --passphrase-fd or --key-file`],
      ['open -o - photos.sealed', byPassphrase],
      ['age -p -o x photos', byPassphrase],
      ['age -d photos.age', byPassphrase],
      ['age -d armored.age', byPassphrase],
      ['age -d -i key.age photos.age', `${none}decrypt key.age first`],
      ['age -d photos', 'photos: not an age file'],
      ['age -d other.age', 'other.age: encrypted to recipients: use --identity'],
      ['age -d other.pem', 'other.pem: encrypted to recipients: use --identity'],
    ]) {
      const args = ['--wait', process.execPath, command, ...line.split(' ')];
      const { status, stderr } = $.other('setsid', args);
      const [name] = line.split(' ');
      assert.deepEqual([status, stderr.toString()], [1, `millrace ${name}: ${told}\n`], line);
    }
  }),
);

test('what reads standard input says so at a terminal, without progress', { skip }, () =>
  inFolder({}, async ($) => {
    $.write('key', Buffer.alloc(32, 7), 0o600);
    const said = 'reading standard input, up to Ctrl-D';
    for (const [line, results, exit = 0] of [
      ['sum -a crc32', '46ea081f  -\n'],
      ['seal -k key | wc -c', '86\n'],
      ['age -d', "millrace age: 'standard input': not an age file\n", 1],
    ]) {
      const { code, shown } = await atTerminal($, `millrace ${line}`, [[said, 'x\n\x04']]);
      const told = `millrace ${line.split(' ')[0]}: ${said}\nx\n`;
      assert.deepEqual({ code, shown }, { code: exit, shown: `${told}${results}echo is on\n` });
    }
  }),
);

test('sealed bytes are not poured onto a terminal', { skip }, () =>
  inFolder({ key: Buffer.alloc(32, 7) }, async ($) => {
    assert.deepEqual(await atTerminal($, 'echo x | millrace seal -k key'), {
      code: 1,
      shown:
        'millrace seal: standard output is a terminal: use --output FILE, or ' +
        '--force\necho is on\n',
    });
  }),
);

test(
  'progress comes when work takes long, goes without a trace, and is wiped at Ctrl-C',
  { skip },
  () =>
    inFolder({}, async ($) => {
      // Its input does not end before progress has been seen.
      const { code, shown } = await atTerminal(
        $,
        '(yes | head -c 3000000; read line < /dev/tty; echo x) | millrace sum -a md5',
        [[' MB  ', '\r']],
        { columns: 60 },
      );
      assert.equal(code, 0);
      assert.match(shown, /\rhashing {2}(2|3)\.\d\d MB {2}.*\/s\x1b\[K/);
      assert.match(shown, /\r\x1b\[K[0-9a-f]{32} {2}-\necho is on\n$/);
      // Long enough for progress to have come, had it not been refused.
      const quiet = '(sleep 2; echo x) | millrace sum -a md5';
      const [none, dumb, file] = await Promise.all([
        atTerminal($, `${quiet} --no-progress`),
        atTerminal($, quiet, [], { env: { TERM: 'dumb' } }),
        atTerminal($, `${quiet} 2> talk`),
      ]);
      for (const { shown: plain } of [none, dumb, file])
        assert.match(plain, /^[0-9a-f]{32} {2}-\necho is on\n$/);
      assert.equal(readFileSync($.path('talk'), 'utf8'), '');
      const ended = await atTerminal(
        $,
        "trap : INT; (trap '' INT; exec cat /dev/zero) | millrace sum -a md5",
        [['MB/s', '\x03']],
      );
      assert.equal(ended.code, 130);
      assert.match(ended.shown, /\r\x1b\[K\n?echo is on\n$/);
    }),
);

test('colours on a terminal, unless NO_COLOR', { skip }, () =>
  inFolder({}, async ($) => {
    const shown = async (line, options) => (await atTerminal($, line, [], options)).shown;
    const plain = { columns: 60, env: { NO_COLOR: '1' } };
    assert.match(await shown('millrace --help'), /^\x1b\[1musage:\x1b\[22m/);
    assert.match(await shown('millrace --help', plain), /^usage:/);
    assert.match(await shown('millrace --help | cat'), /^usage:/);
    const narrow = (await shown('millrace engines', plain)).split('\n');
    assert.ok(narrow.length > 60, 'what is too wide is broken');
    for (const line of (await shown('millrace help sum', plain)).split('\n'))
      assert.ok(line.length <= 60, line);
  }),
);

test(
  'names with control characters are quoted, in lists and reports; in a pipe they stay',
  { skip },
  () =>
    inFolder({ 'red\x1b[31m': 'abc', 'bidi\u202e': 'abc' }, async ($) => {
      const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
      const list = `${abc}  red\x1b[31m\n${abc}  bidi\u202e\n`;
      $.write('list', list);
      const shown = ['"red\\u001b[31m"', '"bidi\\u202e"'];
      for (const [line, lines] of [
        ['millrace sum red* bidi*', shown.map((name) => `${abc}  ${name}\n`)],
        ['millrace sum -c list', shown.map((name) => `${name}: OK\n`)],
      ])
        assert.deepEqual(await atTerminal($, line), {
          code: 0,
          shown: `${lines.join('')}echo is on\n`,
        });
      await $.millrace(['sum', 'red\x1b[31m', 'bidi\u202e'], { stdout: list });
      await $.millrace('sum -c list', { stdout: 'red\x1b[31m: OK\nbidi\u202e: OK\n' });
    }),
);

test(
  'bench: a bar with the time left; Ctrl-C wipes it and prints what was measured',
  { skip },
  () =>
    inFolder({}, async ($) => {
      const { code, shown } = await atTerminal(
        $,
        'trap : INT; millrace bench hash -c node:crypto --csv figures',
        // On a busy machine the bar is drawn long before the first row is measured.
        [[/ [1-9]\d* of \d+ rows/, '\x03']],
        { columns: 110 },
      );
      assert.equal(code, 130);
      assert.match(shown, /\rsha\S+, \w+, \d+ \S+ .*\d+%.* \d+ of \d+ rows/);
      const end = shown.slice(shown.lastIndexOf('\r\x1b[K') + '\r\x1b[K'.length);
      assert.match(
        end,
        /^(\^C)?millrace bench: interrupted: \d+ of \d+ rows measured\n\n\d+ rows?: Millrace/m,
      );
      assert.match(end, /echo is on\n$/);
      // Colours are for the verdicts, and no line is wider than the terminal.
      for (const line of shown.split('\n'))
        assert.ok(
          line.split('\r').every((part) => part.replace(/\x1b\[[\d;]*[mK]/g, '').length <= 110),
          line,
        );
      assert.match(readFileSync($.path('figures'), 'utf8'), /^table,/);
      assert.deepEqual(readdirSync($.folder), ['figures']);
    }),
);

test('bench scrypt: how far a long batch is, wiped when it is over', { skip }, () =>
  inFolder({}, async ($) => {
    $.write(
      'slow.cjs',
      `const crypto = require('node:crypto');
       const { scrypt } = crypto;
       crypto.scrypt = (password, salt, keylen, options, callback) =>
         scrypt(password, salt, keylen, options, (...result) =>
           setTimeout(callback, 20, ...result),
         );`,
    );
    const line =
      `"${process.execPath}" --require ./slow.cjs "${join(root, 'scrypt-bench.mjs')}" ` +
      '--iterations=150 --N=16 --concurrency=4 --variants=callback';
    const { code, shown } = await atTerminal($, line, [], { columns: 100 });
    assert.equal(code, 0);
    assert.match(shown, /\rcallback conc=4  .*% +\d+ of 150  \d+:\d\d left/);
    assert.match(shown, /\r\x1b\[KDone: variant=callback conc=4 ok=150 /);
    const quiet = await atTerminal($, `${line} --no-progress`, [], { columns: 100 });
    assert.doesNotMatch(quiet.shown, /of 150|Done/);
  }),
);
