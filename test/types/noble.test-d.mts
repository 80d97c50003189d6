import { sha256, sha512 } from 'millrace/noble-hashes/sha2.js';
import { shake128 } from 'millrace/noble-hashes/sha3';
import { blake2b, type Blake2Opts } from 'millrace/noble-hashes/blake2.js';
import {
  kmac128,
  kt128,
  tuplehash256,
  type cShakeOpts,
} from 'millrace/noble-hashes/sha3-addons.js';
import { cshake128, k12 } from 'millrace/noble-hashes/v1/sha3-addons';
import { hmac } from 'millrace/noble-hashes/hmac.js';
import { scryptAsync, type ScryptOpts } from 'millrace/noble-hashes/scrypt.js';
import { sha256 as old } from 'millrace/noble-hashes/v1/sha256';
import { aeskw, gcm } from 'millrace/noble-ciphers/aes.js';
import { xchacha20poly1305, type Cipher } from 'millrace/noble-ciphers/v1/chacha';
import { nobleCalls, useNoble } from 'millrace/noble-hashes';
import { register } from 'millrace/ethers';
import { is, isNumber } from './equal.mjs';

const isBytes = is<Uint8Array<ArrayBuffer>>();

const bytes = new Uint8Array(32);
const options: Blake2Opts = { dkLen: 32 };
const names: cShakeOpts = { NISTfn: 'name', personalization: bytes };
const cost: ScryptOpts = { N: 16, r: 8, p: 1 };

isBytes(sha256(bytes));
isNumber(sha512.create().update(bytes).outputLen);
isBytes(shake128.create({ dkLen: 5 }).update(bytes).xof(7));
isBytes(blake2b(bytes, options));
isBytes(hmac.create(sha256, bytes).update(bytes).digest());
isBytes(kmac128.create(bytes, { personalization: bytes }).update(bytes).xof(9));
isBytes(kt128(bytes, { dkLen: 9, personalization: bytes }));
isBytes(tuplehash256([bytes, bytes]));
isBytes(cshake128(bytes, names));
isBytes(k12(bytes));
is<Cipher>()(aeskw(bytes));
is<Promise<Uint8Array<ArrayBuffer>>>()(scryptAsync('password', bytes, cost));
isNumber(old.outputLen);
is<Cipher>()(gcm(bytes, bytes));
isBytes(xchacha20poly1305(bytes, bytes, bytes).decrypt(bytes));
is<Record<string, number>>()(nobleCalls());
is<string[]>()(register());
useNoble('hashes', 2, () => ({}));
// @ts-expect-error there is no such package of noble
useNoble('curves', 2, () => ({}));
// @ts-expect-error line 2 takes an object of options
blake2b(bytes, 5);
// @ts-expect-error a MAC needs a key
kmac128(bytes);
// @ts-expect-error the message of TupleHash is an array
tuplehash256(bytes);
