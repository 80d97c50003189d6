/** PBKDF2 (RFC 8018) over HMAC. */
import type { PortableMac } from '../hashes/contract.js';
import type { Progress } from './contract.js';

/** So many iterations between two reports: a few milliseconds. */
const SLICE = 1000;

/** Derives a key under the password that the MAC has as its key. */
export function pbkdf2(mac: PortableMac, salt: Uint8Array, digestSize: number, iterations: number, target: Uint8Array, progress: Progress | undefined): void {
  const numbered = new Uint8Array(salt.length + 4);
  numbered.set(salt);
  const number = new DataView(numbered.buffer, salt.length);
  const chain = new Uint8Array(digestSize);
  const sum = new Uint8Array(digestSize);
  const blocks = Math.ceil(target.length / digestSize);
  for (let block = 0; block < blocks; block++) {
    number.setUint32(0, block + 1);
    mac.mac(numbered, chain);
    sum.set(chain);
    for (let iteration = 1; iteration < iterations; iteration++) {
      mac.mac(chain, chain);
      for (let index = 0; index < digestSize; index++) sum[index]! ^= chain[index]!;
      if (iteration % SLICE === 0) progress?.((block + iteration / iterations) / blocks);
    }
    const at = block * digestSize;
    target.set(sum.subarray(0, Math.min(digestSize, target.length - at)), at);
  }
  for (const each of [numbered, chain, sum]) each.fill(0);
}
