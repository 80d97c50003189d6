// Asks for a passphrase on the terminal, without echo. It reads the terminal itself, as standard
// input may be the message.

'use strict';

const { closeSync, openSync, writeSync } = require('node:fs');
const { ReadStream } = require('node:tty');

const { onExit, exitBySignal } = require('../cleanup.js');
const { UserError, statusLine } = require('../ui.js');

/**
 * @param {boolean} twice asks again and compares
 * @param {string} instead what to use where no terminal is
 */
async function askPassphrase(twice, instead) {
  const terminal = openTerminal(instead);
  try {
    const passphrase = await ask(terminal, 'Passphrase: ');
    if (passphrase === '') throw new UserError('the passphrase is empty');
    if (twice && (await ask(terminal, 'Repeat passphrase: ')) !== passphrase)
      throw new UserError('the passphrases differ');
    return passphrase;
  } finally {
    terminal.close();
  }
}

function openTerminal(instead) {
  const windows = process.platform === 'win32';
  const fds = [];
  try {
    fds.push(openSync(windows ? '\\\\.\\CONIN$' : '/dev/tty', windows ? 'r+' : 'r'));
    fds.push(openSync(windows ? '\\\\.\\CONOUT$' : '/dev/tty', windows ? 'r+' : 'w'));
    const input = new ReadStream(fds[0]);
    return {
      input,
      /** Input that was typed before the question. */
      ahead: '',
      write: (text) => writeSync(fds[1], text),
      close: () => {
        input.destroy(); // closes its descriptor
        closeSync(fds[1]);
      },
    };
  } catch {
    for (const fd of fds) closeSync(fd);
    throw new UserError(`no terminal to ask for a passphrase: ${instead}`);
  }
}

/**
 * Reads one line without echo. The terminal is in raw mode, in which Ctrl-C and its like arrive as
 * characters.
 */
function ask(terminal, question) {
  const { input, write } = terminal;
  statusLine.clear();
  return new Promise((resolve, reject) => {
    let typed = [];
    const restore = () => {
      input.setRawMode(false);
      write('\n');
    };
    const removeCleanup = onExit(restore);
    const done = (settle, value) => {
      input.off('data', take);
      input.off('error', fail);
      input.off('end', fail);
      input.pause();
      removeCleanup();
      restore();
      settle(value);
    };
    const fail = () => done(reject, new UserError('the terminal was closed'));
    const take = (text) => {
      // Ignore the sequences of arrow and function keys.
      const letters = [...text.replace(/\x1b(\[[\d;]*[A-Za-z~]|O[A-Z])/g, '')];
      for (const [index, letter] of letters.entries()) {
        if (letter === '\r' || letter === '\n' || letter === '\x04') {
          terminal.ahead = letters.slice(index + 1).join('');
          return done(resolve, typed.join(''));
        }
        if (letter === '\x03') return exitBySignal('SIGINT');
        if (letter === '\x1c') return exitBySignal('SIGQUIT');
        if (letter === '\x7f' || letter === '\b') typed.pop();
        else if (letter === '\x15') typed = [];
        else if (letter >= ' ') typed.push(letter);
      }
      return undefined;
    };
    input.setEncoding('utf8'); // a character may arrive in two reads
    input.setRawMode(true);
    write(question);
    input.on('data', take);
    input.on('error', fail);
    input.on('end', fail);
    input.resume();
    // Both lines may be pasted at once.
    const { ahead } = terminal;
    terminal.ahead = '';
    if (ahead !== '') take(ahead);
  });
}

module.exports = { askPassphrase };
