/** Password hashes of bcrypt (Provos and Mazieres, 1999). */
import { NO_BYTES, sizeOf } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import { beginRequest, setIv, setResult, Form } from '../request/request.js';
import { makeError } from '../base/errors.js';
import { setKeyInput } from '../request/key-input.js';
import { SecretCopy, secretSize, wipeCopy } from '../base/secret-copy.js';
import { base64, type Buffer } from '#platform/base/runtime.js';
import { readPassword, type Password } from './derive.js';
import { providePasswords } from '#platform/engines/parts.js';

providePasswords();

/** Bytes of a salt, of a hash, and of a password that count. */
export const BCRYPT = { salt: 16, hash: 23 } as const;
const PASSWORD_MAX = 72;

/** Fills the request of a password hash with a checked cost. */
export function setBcryptOf(cost: number, passwordGiven: unknown, salt: Buffer): void {
  const password = readPassword(passwordGiven, 'password');
  try {
    refuseZero(password);
    const size = secretSize(password);
    if (size > PASSWORD_MAX)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `password has ${size} bytes; bcrypt would ignore those after the first ${PASSWORD_MAX}: ` +
          "use 'argon2id', or hash the password first",
      );
  } catch (error) {
    wipeCopy(password);
    throw error;
  }
  beginRequest(Operation.Bcrypt, 0, NO_BYTES, 0, 0);
  setKeyInput(password);
  setIv(salt, 0, sizeOf(salt));
  frame[At.Count] = cost;
  setResult(BCRYPT.hash, Form.Secret);
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

/** Formats a password hash. */
export function bcryptString(cost: number, salt: Buffer, hash: Buffer): string {
  return `$2b$${String(cost).padStart(2, '0')}$${encoded(salt)}${encoded(hash)}`;
}

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns Base64 with bcrypt's alphabet and without padding. */
function encoded(bytes: Buffer): string {
  let text = '';
  for (const character of base64(bytes))
    if (character !== '=') text += ALPHABET[STANDARD.indexOf(character)]!;
  return text;
}
