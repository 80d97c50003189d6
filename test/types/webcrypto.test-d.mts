// millrace/webcrypto has the types of the platform's WebCrypto.

import { webcrypto } from 'node:crypto';

import { crypto, CryptoKey, getRandomValues, randomUUID, subtle } from 'millrace/webcrypto';
import entry from 'millrace/webcrypto';

import type { Equal, Expect } from './equal.mjs';

const digest = subtle.digest('SHA-256', getRandomValues(new Uint8Array(8)));
const key = subtle.importKey('raw', new Uint8Array(8), 'HKDF', false, ['deriveBits']);
const id = randomUUID();

export type Checks = [
  Expect<Equal<typeof digest, Promise<ArrayBuffer>>>,
  Expect<Equal<Awaited<typeof key>, CryptoKey>>,
  Expect<Equal<CryptoKey, webcrypto.CryptoKey>>,
  Expect<Equal<typeof crypto, webcrypto.Crypto>>,
  Expect<Equal<typeof entry.subtle, webcrypto.SubtleCrypto>>,
];

export const isKey: boolean = (await key) instanceof CryptoKey && id.length > 0;
