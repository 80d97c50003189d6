/**
 * The key of a message of XAES-256-GCM (c2sp.org/XAES-256-GCM): the KDF in counter mode of NIST SP
 * 800-108r1 over AES-CMAC. AES-CTR encrypts a block of zeros to its counter block, encrypted.
 */
import { Status } from '../../base/protocol.js';
import { part, refuse } from '../windows.js';
import type { StreamCalls } from './ciphers.js';
import { within, type Family } from './family.js';

const BLOCK = 16;
const BLOCKS = /* @__PURE__ */ new Uint8Array(4 * BLOCK);

/** Overwrites a key of 32 bytes with that of a message, whose nonce begins with `context`. */
export function extendKey(aesCtr: Family<StreamCalls>, key: Uint8Array, context: Uint8Array): void {
  within(aesCtr, [key, BLOCKS], (calls, [secret = 0, place = 0]) => {
    const bytes = aesCtr.bytes();
    // The counter block, the subkey of CMAC, and the derived key.
    const [block, subkey] = [part(bytes, place, BLOCK), part(bytes, place + BLOCK, BLOCK)];
    const encrypt = (index: number): void => {
      if (calls.apply(secret, key.length, place, 0, place + index * BLOCK, BLOCK))
        refuse(Status.Engine);
    };
    encrypt(1);
    // SP 800-38B, 6.1: doubled, without a branch.
    const reduction = 0x87 & -(subkey[0]! >> 7);
    for (let index = 0; index < BLOCK; index++)
      subkey[index] = (subkey[index]! << 1) | ((subkey[index + 1] ?? 0) >> 7);
    subkey[BLOCK - 1]! ^= reduction;
    for (const counter of [1, 2]) {
      // A counter of 16 bits, the label "X", a zero and the context.
      block.set([0, counter, 0x58, 0]);
      block.set(context, 4);
      for (let index = 0; index < BLOCK; index++) block[index]! ^= subkey[index]!;
      encrypt(counter + 1);
    }
    key.set(part(bytes, place + 2 * BLOCK, 2 * BLOCK));
  });
}
