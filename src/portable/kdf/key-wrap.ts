/** AES key wrap (RFC 3394, RFC 5649) by `@noble/ciphers`. */
import { aeskw, aeskwp } from '@noble/ciphers/aes.js';
import { Status } from '../../request/frame.js';
import { put, refused, type Derivation, type DerivationInput, type Kdf } from './contract.js';

interface KeyWrap extends Derivation {
  readonly what: 'wrap' | 'unwrap';
  readonly padded: boolean;
}

/** The most bytes of a key to wrap, as in crates/core/src/kdf/key_wrap.rs. */
const KEY_MAX = 2 ** 16;

const wrapping = ({ padded }: KeyWrap, key: Uint8Array): ReturnType<typeof aeskw> =>
  padded ? aeskwp(key) : aeskw(key);

function padding(cost: number): boolean {
  return cost <= 1 ? cost === 1 : refused(Status.Cost);
}

function checkKey({ password }: DerivationInput): void {
  if (![16, 24, 32].includes(password.length)) refused(Status.KeySize);
}

/** 1 us for a block on Zen 4, six for each 8 bytes. */
const predict = (_derivation: KeyWrap, size: number): number => 10_000 + 6000 * Math.ceil(size / 8);

/** Wraps the secret with the password. */
export const wrapKey: Kdf<KeyWrap> = {
  what: 'wrap',
  read: ({ costs }) => ({ what: 'wrap', padded: padding(costs[0]) }),
  check({ padded }, input, size) {
    const found = input.secret.length;
    const fits = padded ? found >= 1 : found >= 16 && found % 8 === 0;
    if (!fits || found > KEY_MAX) refused(Status.SourceTooLarge);
    if (size !== Math.ceil(found / 8) * 8 + 8) refused(Status.OutputSize);
    checkKey(input);
  },
  memory: () => 0,
  predict,
  derive(derivation, { password, secret }, target) {
    put(wrapping(derivation, password).encrypt(secret), target);
  },
};

/** Unwraps the secret with the password. The last byte of the target is the size of the padding. */
export const unwrapKey: Kdf<KeyWrap> = {
  what: 'unwrap',
  read: ({ costs }) => ({ what: 'unwrap', padded: padding(costs[0]) }),
  check({ padded }, input, size) {
    const found = input.secret.length;
    if (found < (padded ? 16 : 24) || found % 8 !== 0 || found > KEY_MAX + 8)
      refused(Status.SourceTooLarge);
    if (size !== found - 8 + 1) refused(Status.OutputSize);
    checkKey(input);
  },
  memory: () => 0,
  predict,
  derive(derivation, { password, secret }, target) {
    let key;
    try {
      key = wrapping(derivation, password).decrypt(secret);
    } catch {
      return refused(Status.Authentication);
    }
    const size = key.length;
    target.fill(0);
    put(key, target);
    target[target.length - 1] = target.length - 1 - size;
  },
};
