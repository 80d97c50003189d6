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

const nodeVariants = ['callback', 'utilPromisify', 'manualPromise'];
const millraceVariants = ['millrace', 'millraceCallback'];
const variantNames = [...nodeVariants, ...millraceVariants];

/** Returns the promise form of a function that calls back, as the runner does. */
const awaited = (scrypt) => (password, salt, keylen, cost) =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, keylen, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

/**
 * Each made from the two libraries. @type {Record<string, (libraries: ReturnType<typeof
 * loadLibraries>) => Scrypt>}
 */
const makers = {
  callback: ({ node }) => awaited(node.scrypt),
  utilPromisify: ({ node }) => promisify(node.scrypt),
  manualPromise:
    ({ node }) =>
    (password, salt, keylen, cost) =>
      // Written out, without promisify.
      new Promise((resolve, reject) => {
        node.scrypt(password, salt, keylen, cost, (error, key) => {
          if (error) reject(error);
          else resolve(key);
        });
      }),
  millrace: ({ promises }) => promises.scrypt,
  millraceCallback: ({ millrace }) => awaited(millrace.scrypt),
};

/**
 * Returns the variants of these names, in order, and why some are missing.
 *
 * @param {readonly string[]} names
 * @returns {{ variants: { name: string, scrypt: Scrypt }[], missing: string[], reason?: string,
 * threads?: number }}
 */
function makeVariants(names) {
  const libraries = loadLibraries(names);
  const has = (name) => nodeVariants.includes(name) || libraries.reason === undefined;
  const present = names.filter(has);
  return {
    variants: present.map((name) => ({ name, scrypt: makers[name](libraries) })),
    missing: names.filter((name) => !has(name)),
    reason: libraries.reason,
    threads: present.some((name) => millraceVariants.includes(name))
      ? libraries.millrace.configure({}).threads
      : undefined,
  };
}

/**
 * Loads the libraries, Millrace only for its own variants: the others need no binary for this
 * machine.
 */
function loadLibraries(names) {
  if (!names.some((name) => millraceVariants.includes(name))) return { node: crypto };
  try {
    const millrace = require('../../../dist/index.js');
    const promises = require('../../../dist/promises.js');
    const whole = typeof millrace.scrypt === 'function' && typeof promises.scrypt === 'function';
    return {
      node: crypto,
      millrace,
      promises,
      reason: whole ? undefined : 'this Millrace has no scrypt',
    };
  } catch (error) {
    return { node: crypto, reason: error.message.split('\n')[0] };
  }
}

module.exports = { nodeVariants, makeVariants, variantNames };
