// The call styles of scrypt that are compared. The three of the original package wrap the same call
// of node:crypto; the other two are Millrace's promise and callback.

'use strict';

const crypto = require('node:crypto');
const { promisify } = require('node:util');

/** @typedef {{ N: number, r: number, p: number, maxmem: number }} Cost */
/**
 * @typedef {(password: Buffer, salt: Buffer, keylen: number, cost: Cost) => Promise<Uint8Array>}
 * Scrypt
 */

/** Returns the promise form of a function that calls back, as the runner does. */
const awaited = (scrypt) => (password, salt, keylen, cost) =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, keylen, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** @type {Record<string, () => Scrypt>} */
const makers = {
  callback: () => awaited(crypto.scrypt),
  utilPromisify: () => promisify(crypto.scrypt),
  manualPromise: () => (password, salt, keylen, cost) =>
    // Written out, without promisify.
    new Promise((resolve, reject) => {
      crypto.scrypt(password, salt, keylen, cost, (error, key) => {
        if (error) reject(error);
        else resolve(key);
      });
    }),
  millrace: () => ours('promises.js'),
  millraceCallback: () => awaited(ours('index.js')),
};

const variantNames = Object.keys(makers);
const nodeVariants = variantNames.filter((name) => !name.startsWith('millrace'));

/** Loads Millrace for its own variants only: the others need no binary for this machine. */
function ours(file) {
  const { scrypt } = require(`../../../dist/${file}`);
  if (typeof scrypt !== 'function') throw new Error('this Millrace has no scrypt');
  return scrypt;
}

/**
 * Returns the variants of these names, in order, and why some are missing.
 *
 * @param {readonly string[]} names
 */
function makeVariants(names) {
  /** @type {{ name: string, scrypt: Scrypt }[]} */
  const variants = [];
  const missing = [];
  let reason;
  for (const name of names) {
    try {
      variants.push({ name, scrypt: makers[name]() });
    } catch (error) {
      missing.push(name);
      reason = error.message.split('\n')[0];
    }
  }
  const threads = variants.some(({ name }) => !nodeVariants.includes(name))
    ? require('../../../dist/index.js').configure({}).threads
    : undefined;
  return { variants, missing, reason, threads };
}

module.exports = { nodeVariants, makeVariants, variantNames };
