// All competitors. node:crypto is the first of the others, as its answers are the reference.

import { libraries } from './libraries.mjs';
import { millrace, ownLoop } from './millrace.mjs';
import { nodeCrypto, webCrypto } from './node.mjs';
import { piscina } from './piscina.mjs';

/**
 * @typedef {object} Competitor
 * @property {string} name
 * @property {string} [packageName]
 * @property {() => any} load returns its tools
 * @property {(tools: any, inputs: any) => any} prepare adds to the inputs of a job
 * @property {() => unknown} [unload]
 * @property {(tools: any) => unknown} [beforeTurn] called before each of its asynchronous samples
 * @property {readonly any[]} forms
 * @property {boolean} [texts] true if its hashes take strings
 * @property {boolean} [engine] of the tables of engines only
 */

const [cryptoAsync, ...others] = libraries;

/** @type {Competitor[]} */
export const competitors = [
  millrace,
  nodeCrypto,
  webCrypto,
  cryptoAsync,
  piscina,
  ...others,
  ownLoop,
];
