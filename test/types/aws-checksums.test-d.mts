// Types of millrace/aws-checksums: what the AWS SDK takes as a class of a checksum.

import * as checksums from 'millrace/aws-checksums';

import { is, isNumber, isVoid } from './equal.mjs';

declare const bytes: Uint8Array;

/** `Checksum` of @smithy/types. */
interface Checksum {
  digestLength?: number;
  copy?(): Checksum;
  digest(): Promise<Uint8Array>;
  mark?(readLimit: number): void;
  reset(): void;
  update(chunk: Uint8Array): void;
}

isNumber(checksums.crc32(bytes));
isNumber(checksums.crc32c(bytes));
isNumber(new checksums.Crc32().update(bytes).update(bytes).digest());
isVoid(new checksums.AwsCrc32().update('text'));
isVoid(new checksums.AwsCrc32c().update(new ArrayBuffer(5)));
const held: checksums.AwsCrc32 = new checksums.AwsCrc32();
is<Promise<Uint8Array<ArrayBuffer>>>()(held.digest());
is<Promise<Uint8Array<ArrayBuffer>>>()(new checksums.Crc64Nvme().digest());
const algorithms: Record<string, new () => Checksum> = {
  CRC32: checksums.AwsCrc32,
  CRC32C: checksums.Crc32cJs,
  CRC64NVME: checksums.Crc64Nvme,
};
void algorithms;
// @ts-expect-error a CRC of a number
checksums.crc32(5);
