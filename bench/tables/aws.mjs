// The checksums of the AWS SDK: millrace/aws-checksums beside the originals, which `npm run
// bench -- aws` installs in test/aws.

import { createRequire } from 'node:module';

export const settings = { rounds: 31, time: 3 };

/** Returns the classes of both by the name of the checksum. */
export async function load() {
  const installed = createRequire(new URL('../../test/aws/package.json', import.meta.url));
  const ours = await import(new URL('../../dist/compat/aws-checksums.mjs', import.meta.url).href);
  const { Crc32, Crc32c, Crc64Nvme } = installed('@aws-sdk/checksums/crc');
  return {
    original: {
      ...installed('@aws-crypto/crc32'),
      ...installed('@aws-crypto/crc32c'),
      Crc32,
      Crc32c,
      Crc64Nvme,
    },
    millrace: { ...ours, Crc32: ours.overCrc32(Crc32), Crc32c: ours.Crc32cJs },
  };
}

const packages = {
  '@aws-crypto/crc32': 'AwsCrc32',
  '@aws-crypto/crc32c': 'AwsCrc32c',
  '@aws-sdk/checksums, CRC32': 'Crc32',
  '@aws-sdk/checksums, CRC32C': 'Crc32c',
  '@aws-sdk/checksums, CRC64NVME': 'Crc64Nvme',
};
const sizes = { '64 B': 64, '1 KiB': 2 ** 10, '64 KiB': 2 ** 16, '1 MiB': 2 ** 20 };

/** One update of a message that has begun: what the SDK does with each chunk of a stream. */
export const rows = Object.entries(packages).flatMap(([title, name]) =>
  Object.entries(sizes).map(([shown, size]) => ({
    name: `${title}, ${shown}`,
    wait: 'sync',
    bytes: size,
    forms: ({ millrace, original }) => {
      const data = new Uint8Array(size).fill(7);
      const run = (Class) => {
        const checksum = new Class();
        return () => checksum.update(data);
      };
      return { millrace: run(millrace[name]), original: run(original[name]) };
    },
  })),
);
