/** PBKDF2 (RFC 8018) over HMAC. */
import type { PortableMac } from '../hashes/contract.js';
import type { Progress } from './contract.js';

/** Iterations between two progress reports: a few milliseconds. */
const SLICE = 1000;

/** Iterated HMAC: each over the last result. */
export interface Chain {
  /** Computes the first HMAC, over a message. */
  begin(message: Uint8Array): void;
  /** Computes `times` more and XORs each into `sum`. */
  follow(times: number, sum: Uint8Array): void;
  /** The last result. */
  readonly digest: Uint8Array;
  dispose(): void;
}

/** Derives a key from the password that keys the MAC. */
export function pbkdf2(
  mac: PortableMac,
  salt: Uint8Array,
  digestSize: number,
  iterations: number,
  target: Uint8Array,
  progress: Progress | undefined,
): void {
  overChain(macChain(mac, digestSize), salt, iterations, target, progress);
}

/** Derives with an iteration, which is consumed. */
export function overChain(
  chain: Chain,
  salt: Uint8Array,
  iterations: number,
  target: Uint8Array,
  progress: Progress | undefined,
): void {
  const digestSize = chain.digest.length;
  const numbered = new Uint8Array(salt.length + 4);
  numbered.set(salt);
  const number = new DataView(numbered.buffer, salt.length);
  const sum = new Uint8Array(digestSize);
  const blocks = Math.ceil(target.length / digestSize);
  try {
    for (let block = 0; block < blocks; block++) {
      number.setUint32(0, block + 1);
      chain.begin(numbered);
      sum.set(chain.digest);
      for (let done = 1; done < iterations;) {
        const times = Math.min(SLICE, iterations - done);
        chain.follow(times, sum);
        done += times;
        progress?.((block + done / iterations) / blocks);
      }
      const at = block * digestSize;
      target.set(sum.subarray(0, Math.min(digestSize, target.length - at)), at);
    }
  } finally {
    chain.dispose();
    sum.fill(0);
  }
}

/** Returns an iteration of a MAC, which its owner disposes. */
export function macChain(mac: PortableMac, digestSize: number): Chain {
  const digest = new Uint8Array(digestSize);
  return {
    digest,
    begin: (message) => mac.mac(message, digest),
    follow(times, sum) {
      for (let time = 0; time < times; time++) {
        mac.mac(digest, digest);
        for (let index = 0; index < digestSize; index++) sum[index]! ^= digest[index]!;
      }
    },
    dispose: () => void digest.fill(0),
  };
}
