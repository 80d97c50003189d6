/**
 * Hashes many messages in one operation: the target receives the digests in order, as in
 * crates/node/src/batch.rs.
 */
import { Status } from '../request/frame.js';
import type { HashParams, PortableHash, PortableMac } from './hashes/contract.js';
import { hashes as catalog } from '../catalog/catalog-table.js';
import { littleEndian } from './hashes/fields.js';
import { isSize, made, overlap, part, refuse } from './windows.js';
import { checkParams, checkTarget, SIZED, type Work } from './work.js';

export function hashMany(work: Work, hash: PortableHash, params: HashParams): void {
  each(
    work,
    (size) => {
      checkParams(work, params);
      checkTarget(work, params, size);
    },
    (source, target) => hash.digest(params, source, target),
  );
}

export function hmacMany(work: Work, mac: PortableMac): void {
  const check = (size: number): void => {
    if (size !== catalog[work.algorithm]!.digestSize) refuse(Status.OutputSize);
  };
  each(work, check, (source, target) => mac.mac(source, target));
}

/** Returns the number of messages. */
export function messages({ views, size, count, iv }: Work): number {
  if (views !== undefined) return views.length;
  return size === SIZED ? Math.floor(iv.length / 8) : count;
}

function each(
  work: Work,
  check: (size: number) => void,
  digest: (source: Uint8Array, target: Uint8Array) => void,
): void {
  const { target, source, iv, views } = work;
  const count = messages(work);
  if (count === 0) return;
  const size = Math.floor(target.length / count);
  if (size * count !== target.length) refuse(Status.OutputSize);
  check(size);
  // A digest must not overwrite a message that has not been read.
  const apart =
    views?.some((view) => overlap(view, target)) ??
    (overlap(source, target) || overlap(iv, target));
  const result = apart ? made(target.length) : target;
  const sizes = work.size === SIZED ? new DataView(iv.buffer, iv.byteOffset, iv.length) : undefined;
  for (let index = 0, offset = 0; index < count; index++) {
    let message: Uint8Array;
    if (views === undefined) {
      const length = sizes?.getFloat64(index * 8, littleEndian) ?? work.size;
      if (!isSize(length) || offset + length > source.length) refuse(Status.Argument);
      message = part(source, offset, length);
      offset += length;
    } else {
      message = views[index]!;
    }
    digest(message, part(result, index * size, size));
  }
  if (apart) target.set(result);
}
