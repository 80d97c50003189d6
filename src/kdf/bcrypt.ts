/** Password hashes of bcrypt (Provos and Mazieres, 1999): its limits and its strings. */
import { sizeOf } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { SecretCopy, secretSize } from '../base/secret-copy.js';
import { base64, type Buffer } from '#platform/base/runtime.js';
import type { Password } from './derive.js';

/** Bytes of a salt, of a hash, and of a password that count. */
export const BCRYPT = { salt: 16, hash: 23 } as const;
const PASSWORD_MAX = 72;

/** Refuses a password of which bcrypt would ignore a part. */
export function checkPassword(password: Password): void {
  refuseZero(password);
  const size = secretSize(password);
  if (size > PASSWORD_MAX)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `password has ${size} bytes; bcrypt would ignore those after the first ${PASSWORD_MAX}: ` +
        "use 'argon2id', or hash the password first",
    );
}

/** Refuses a password with a zero byte, at which some implementations stop and others do not. */
export function refuseZero(password: Password): void {
  if (hasZero(password))
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'password must not have a zero byte where the hash is of bcrypt, which would end there',
    );
}

function hasZero(password: Password): boolean {
  if (typeof password === 'string') return password.includes('\0');
  const view = SecretCopy.is(password) ? password.bytes : password;
  // Not `includes`, which the caller's view may override.
  for (let at = sizeOf(view) - 1; at >= 0; at--) if (view[at] === 0) return true;
  return false;
}

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns Base64 with bcrypt's alphabet and without padding. */
export function bcryptBase64(bytes: Buffer): string {
  let text = '';
  for (const character of base64(bytes))
    if (character !== '=') text += ALPHABET[STANDARD.indexOf(character)]!;
  return text;
}
