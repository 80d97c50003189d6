/** The functions of millrace/node-crypto with asymmetric keys. */
export { createPrivateKey, createPublicKey } from './asymmetric-keys.js';
export {
  decapsulate,
  diffieHellman,
  encapsulate,
  privateDecrypt,
  publicEncrypt,
} from './key-exchange.js';
export { generateKeyPair, generateKeyPairSync } from './key-pairs.js';
export { createSign, createVerify, sign, verify } from './signatures.js';
