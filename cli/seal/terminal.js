// A passphrase from the terminal, without echo. It is read from the terminal itself, not from
// standard input, which may be the file.

'use strict';

const { closeSync, openSync, writeSync } = require('node:fs');
const { ReadStream } = require('node:tty');

const { atEnd, endBySignal } = require('../endings.js');
const { Problem, standing } = require('../ui.js');

/** @param {boolean} twice whether it is asked for again, as nobody sees what he types */
async function askPassphrase(twice) {
  const terminal = openTerminal();
  try {
    const passphrase = await ask(terminal, 'Passphrase: ');
    if (passphrase === '') throw new Problem('an empty passphrase');
    if (twice && (await ask(terminal, 'Once more: ')) !== passphrase)
      throw new Problem('the passphrases differ');
    return passphrase;
  } finally {
    terminal.close();
  }
}

function openTerminal() {
  const windows = process.platform === 'win32';
  const fds = [];
  try {
    fds.push(openSync(windows ? '\\\\.\\CONIN$' : '/dev/tty', windows ? 'r+' : 'r'));
    fds.push(openSync(windows ? '\\\\.\\CONOUT$' : '/dev/tty', windows ? 'r+' : 'w'));
    const input = new ReadStream(fds[0]);
    return {
      input,
      /** Typed before it was asked for. */
      ahead: '',
      say: (text) => writeSync(fds[1], text),
      close: () => {
        input.destroy(); // closes its descriptor
        closeSync(fds[1]);
      },
    };
  } catch {
    fds.forEach((fd) => closeSync(fd));
    throw new Problem(
      'there is no terminal to ask for a passphrase: give --passphrase-file, --passphrase-fd or --key-file',
    );
  }
}

/**
 * One line, typed blind. The terminal is in raw mode meanwhile: keys come as they are, also those
 * that would be signals.
 */
function ask(terminal, question) {
  const { input, say } = terminal;
  standing.wipe();
  return new Promise((resolve, reject) => {
    let typed = [];
    const restore = () => {
      input.setRawMode(false);
      say('\n');
    };
    const forget = atEnd(restore);
    const done = (settle, value) => {
      input.off('data', take);
      input.off('error', fail);
      input.off('end', fail);
      input.pause();
      forget();
      restore();
      settle(value);
    };
    const fail = () => done(reject, new Problem('the terminal has gone'));
    const take = (text) => {
      // Arrows and their like are no letters.
      const letters = [...text.replace(/\x1b(\[[\d;]*[A-Za-z~]|O[A-Z])/g, '')];
      for (const [index, letter] of letters.entries()) {
        if (letter === '\r' || letter === '\n' || letter === '\x04') {
          terminal.ahead = letters.slice(index + 1).join('');
          return done(resolve, typed.join(''));
        }
        if (letter === '\x03') return endBySignal('SIGINT');
        if (letter === '\x1c') return endBySignal('SIGQUIT');
        if (letter === '\x7f' || letter === '\b') typed.pop();
        else if (letter === '\x15') typed = [];
        else if (letter >= ' ') typed.push(letter);
      }
      return undefined;
    };
    input.setEncoding('utf8'); // a letter may come in two pieces
    input.setRawMode(true);
    say(question);
    input.on('data', take);
    input.on('error', fail);
    input.on('end', fail);
    input.resume();
    // Both lines pasted at once.
    const { ahead } = terminal;
    terminal.ahead = '';
    if (ahead !== '') take(ahead);
  });
}

module.exports = { askPassphrase };
