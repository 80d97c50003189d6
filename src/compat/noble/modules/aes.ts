/** AES in the modes that Millrace computes, and its key wraps. */
import { aesCtr, aesGcm, aesGcmSiv } from '#platform/compat/noble/cipher-engine.js';
import {
  cipherFunction,
  sealed,
  targetOf,
  type CipherFunction,
  type MessageSpec,
} from '../cipher-objects.js';
import { keyWrap } from '../key-wraps.js';
import { backed, original, standIn, type Lent, type Maker } from '../original.js';

const KEY_SIZES = [16, 24, 32];

export const ctr: Maker<CipherFunction> = /* @__PURE__ */ backed('aes', 'ctr', (major) => {
  const xor: MessageSpec['encrypt'] = ([key, nonce], data, output) => {
    const target = targetOf(output, data.length);
    if (target !== undefined) aesCtr(key!, nonce!, data, target);
    return target;
  };
  const spec = {
    major,
    subpath: 'aes',
    name: 'ctr',
    keySizes: KEY_SIZES,
    nonceSizes: [16, 16],
    takesAad: false,
    invalid: undefined,
    encrypt: xor,
    decrypt: xor,
  } as const;
  return cipherFunction(spec, { blockSize: 16, nonceLength: 16 });
});

const properties = { blockSize: 16, nonceLength: 12, varSizeNonce: true };

export const gcm = /* @__PURE__ */ sealed('aes', 'gcm', (major) => ({
  aead: aesGcm,
  keySizes: KEY_SIZES,
  // The fewest that noble accepts, the most that Millrace does.
  nonceSizes: [8, 128],
  takesOutput: false,
  invalid: major === 1 ? 'aes/gcm: invalid ghash tag' : 'aes-gcm: invalid tag',
  properties,
}));
export const gcmsiv = /* @__PURE__ */ sealed('aes', 'gcmsiv', () => ({
  aead: aesGcmSiv,
  keySizes: [16, 32],
  nonceSizes: [12, 12],
  takesOutput: false,
  invalid: 'invalid polyval tag',
  properties,
}));
export const aeskw = /* @__PURE__ */ keyWrap('aeskw', false);
export const aeskwp = /* @__PURE__ */ keyWrap('aeskwp', true);

/** Names of versions 1.0 and 1.1, since version 1.2 properties of `unsafe`. */
export const expandKeyLE = /* @__PURE__ */ unsafe('expandKeyLE');
export const expandKeyDecLE = /* @__PURE__ */ unsafe('expandKeyDecLE');

function unsafe(name: string): Maker<Lent> {
  return backed('aes', 'unsafe', () =>
    standIn(() => original(1, 'ciphers', 'aes', 'unsafe')[name]),
  );
}
