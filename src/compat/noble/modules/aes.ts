/** AES in the modes that Millrace computes, and its key wraps. */
import { aesCtr, aesGcm, aesGcmSiv } from '#platform/compat/noble/cipher-engine.js';
import { cipherFunction, type CipherFunction, type CipherSpec } from '../cipher-objects.js';
import { keyWrap } from '../key-wraps.js';
import {
  backed,
  original,
  standIn,
  type Lent,
  type MajorVersion,
  type Maker,
} from '../original.js';

/** Bytes of GCM's nonces: the fewest that noble accepts, the most that Millrace does. */
const GCM_NONCES = [8, 128] as const;

function aes(
  name: string,
  spec: (major: MajorVersion) => Pick<CipherSpec, 'aead' | 'stream' | 'nonceSizes' | 'invalid'>,
): Maker<CipherFunction> {
  return backed('aes', name, (major) => {
    const given = spec(major);
    const properties =
      given.aead === undefined
        ? { blockSize: 16, nonceLength: 16 }
        : {
            blockSize: 16,
            nonceLength: 12,
            tagLength: 16,
            ...(major === 2 ? { withAAD: true } : {}),
            varSizeNonce: true,
          };
    const output = given.aead === undefined;
    return cipherFunction({ major, subpath: 'aes', name, properties, output, ...given });
  });
}

export const ctr = /* @__PURE__ */ aes('ctr', () => ({
  aead: undefined,
  stream: aesCtr,
  nonceSizes: [16, 16],
  invalid: undefined,
}));
export const gcm = /* @__PURE__ */ aes('gcm', (major) => ({
  aead: aesGcm,
  stream: undefined,
  nonceSizes: GCM_NONCES,
  invalid: major === 1 ? 'aes/gcm: invalid ghash tag' : 'aes-gcm: invalid tag',
}));
export const gcmsiv = /* @__PURE__ */ aes('gcmsiv', () => ({
  aead: aesGcmSiv,
  stream: undefined,
  nonceSizes: [12, 12],
  invalid: 'invalid polyval tag',
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
