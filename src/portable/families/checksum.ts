/** Hashes that are not cryptographic. */
import { sizeOf } from '../../base/intrinsics.js';
import { WINDOW } from './family.js';
import { FamilyHash } from './hash.js';

/** Bytes before the window: the digest as a number, aligned. */
const NUMBER_BYTES = 16;

/** A hash of which nothing is overwritten; the number of a short message takes no other memory. */
export class Checksum extends FamilyHash {
  #bytes: Uint8Array | undefined;
  /** Of the same memory as `#bytes`. */
  #view!: DataView;

  /**
   * Returns the digest of a message as a big-endian number; undefined for a long message, or a
   * digest of more than 8 bytes.
   */
  override number(source: Uint8Array, digestSize: number): bigint | undefined {
    const length = sizeOf(source);
    if (length > WINDOW || digestSize > 8) return undefined;
    const { family } = this;
    const { finish } = family.open();
    const { start, end } = family;
    const bytes = family.bytes();
    if (this.#bytes !== bytes) {
      this.#view = new DataView(bytes.buffer);
      this.#bytes = bytes;
    }
    const window = start + NUMBER_BYTES;
    family.end = 0;
    if (length > 0) bytes.set(source, window);
    if (digestSize < 8) this.#view.setUint32(start, 0);
    finish(this.id, 0, window, length, start + 8 - digestSize, digestSize, start, 0, 0, 0);
    family.end = end;
    return this.#view.getBigUint64(start);
  }

  override wipe(): void {}
}
