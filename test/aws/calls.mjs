// The flexible checksums of the AWS SDK against a server in this process: prints what it sends and
// what it makes of answers, as JSON. run.mjs copies it into projects and compares what they print.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';

const require = createRequire(import.meta.url);
const { GetObjectCommand, PutObjectCommand, S3Client } = require('@aws-sdk/client-s3');
let answer = {};
const received = [];
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('latin1');
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => /checksum|trailer|decoded/.test(name)),
  );
  // Of a body in chunks, what follows it.
  const trailer = /x-amz-checksum[^]*$/.exec(body)?.[0];
  received.push({ headers, trailer, bytes: body.length });
  response.writeHead(200, answer.headers).end(answer.body);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const settings = {
  endpoint: `http://127.0.0.1:${server.address().port}`,
  forcePathStyle: true,
  region: 'us-east-1',
  credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  maxAttempts: 1,
};
const s3 = new S3Client(settings);
const long = (size) => Uint8Array.from({ length: size }, (_, at) => (at * 7919) >> 3);
const bodies = {
  'no bytes': () => Buffer.alloc(0),
  text: () => 'text \u{1f600}',
  'long text': () => 'long text '.repeat(5000),
  Buffer: () => Buffer.from(long(70_000)),
  'part of a Uint8Array': () => long(70_000).subarray(3, 60_000),
  'few bytes': () => long(17),
  stream: () =>
    Readable.from([long(65_536), long(5), long(0), long(9000)].map((b) => Buffer.from(b))),
};
const lengths = { stream: 65_536 + 5 + 9000 };
const results = {};
const where = { Bucket: 'bucket', Key: 'key' };
const outcome = (promise) =>
  promise.then(
    (value) => value,
    (error) => `${error.name}: ${error.message}`,
  );

for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA256', undefined])
  for (const [name, make] of Object.entries(bodies)) {
    answer = {};
    const put = { ...where, ChecksumAlgorithm, Body: make() };
    if (lengths[name]) put.ContentLength = lengths[name];
    const sent = await outcome(s3.send(new PutObjectCommand(put)));
    const [request] = received.splice(0);
    results[`${ChecksumAlgorithm}, ${name}`] = { request, sent: typeof sent === 'string' && sent };
  }

const digests = {
  crc32: 'y/Q5Jg==',
  crc32c: '4waSgw==',
  crc64nvme: 'rosUhgp5mIg=',
};
for (const [name, right] of Object.entries(digests))
  for (const [title, checksum] of Object.entries({
    right,
    wrong: right.replace(/^./, 'z'),
    composite: `${right}-3`,
  })) {
    answer = { headers: { [`x-amz-checksum-${name}`]: checksum }, body: '123456789' };
    const got = await outcome(
      s3
        .send(new GetObjectCommand({ ...where, ChecksumMode: 'ENABLED' }))
        .then(({ Body }) => Body.transformToString()),
    );
    received.splice(0);
    results[`${name}, a ${title} answer`] = got;
  }

// A class of the program stands before all others.
class Ours {
  update() {}
  reset() {}
  digest = async () => Buffer.from('ours');
}
const own = new S3Client({ ...settings, checksumAlgorithms: { CRC32C: Ours } });
await outcome(own.send(new PutObjectCommand({ ...where, ChecksumAlgorithm: 'CRC32C', Body: 'x' })));
results['a class of the program'] = received.splice(0);
server.close();
server.closeAllConnections();

/** Returns an export of a package, or undefined where it is not installed. */
function found(name) {
  try {
    return require(name);
  } catch {
    return undefined;
  }
}
const codec = found('@smithy/eventstream-codec');
if (codec !== undefined) {
  const text = new codec.EventStreamCodec(
    (bytes) => Buffer.from(bytes).toString(),
    (each) => Buffer.from(each),
  );
  const message = {
    headers: { ':event-type': { type: 'string', value: 'chunk' } },
    body: long(5000),
  };
  const encoded = text.encode(message);
  const decoded = text.decode(encoded);
  results.events = {
    encoded: Buffer.from(encoded).toString('base64'),
    decoded: Buffer.from(decoded.body).equals(Buffer.from(message.body)),
  };
  encoded[100] ^= 1;
  try {
    text.decode(encoded);
  } catch (error) {
    results.events.damaged = error.message;
  }
}

const ours = found('millrace/aws-checksums');
const served = {
  '@aws-crypto/crc32': found('@aws-crypto/crc32')?.AwsCrc32 === ours.AwsCrc32,
  '@aws-crypto/crc32c': found('@aws-crypto/crc32c')?.AwsCrc32c === ours.AwsCrc32c,
  '@aws-sdk/crc64-nvme': found('@aws-sdk/crc64-nvme')?.Crc64Nvme === ours.Crc64Nvme,
  '@aws-sdk/checksums': s3.config.checksumAlgorithms?.CRC64NVME === ours.Crc64Nvme,
};
console.log(JSON.stringify({ results, served }));
