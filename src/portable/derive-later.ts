/** Derivations of one family on the engine's workers. Loaded at the first of them. */
import { Operation, Status } from '../base/frame.js';
import type { Report } from './families/derivations.js';
import type { Host } from './host.js';
import { NOTHING } from './windows.js';
import { plainWork, type FamilyCall } from './work.js';
import { ownSecrets, wipeSecrets } from './worker-messages.js';
import { sharedPool } from './worker-pool.js';

/** Predicted nanoseconds: such jobs wait behind short ones. */
const COST_NS = 1e9;

/**
 * Derives a key of `size` bytes; resolves to undefined if that failed. `report` is called with the
 * completed fraction.
 */
export function deriveLater(
  host: Host,
  call: FamilyCall,
  inputs: readonly Uint8Array[],
  size: number,
  report: Report | undefined,
): Promise<Uint8Array | undefined> {
  const [secret = NOTHING, iv = NOTHING, tag = NOTHING, aad = NOTHING] = inputs;
  const target = new Uint8Array(size);
  const work = ownSecrets(plainWork(Operation.Scrypt, 0, { secret, iv, tag, aad, target, call }));
  return new Promise((resolve, reject) => {
    sharedPool(host).submit({
      work,
      owned: true,
      sourceSize: 0,
      reportsProgress: report !== undefined,
      measure: false,
      cost: COST_NS,
      get fraction() {
        return 0;
      },
      set fraction(fraction) {
        try {
          report?.(fraction);
        } catch (error) {
          reject(error as Error);
        }
      },
      end(status, made) {
        wipeSecrets(this.work);
        resolve(status === Status.Done ? (made ?? target) : undefined);
      },
    });
  });
}
