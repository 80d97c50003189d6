// The rows of `npm run bench -- node-crypto`.
//
//   form   returns the call to measure for an implementation of node:crypto, or undefined if that
//          lacks it; also given the package of `uses`, loaded with that implementation
//   wait   `sync` if the call returns the result, `promise` if a promise of it

import { randomFillSync } from 'node:crypto';

const KiB = 1024;
const MiB = 1024 * KiB;
const bytes = (size) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) & 255));
const key = bytes(32);
const nonce = bytes(12);
const token = { sub: '1234567890', name: 'a name', admin: true };

/** The packages that the rows use from npm. */
export const packages = { jose: '4.15.9', ssri: '12.0.0', ssh2: '1.17.0' };

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} wait
 * @property {number} [inFlight]
 * @property {string} [uses]
 * @property {(crypto: any, library?: any) => any} form
 */

/** @type {Row[]} */
export const rows = [
  promise(
    'jose 4 HS256 sign, key as bytes',
    'jose',
    (_, { SignJWT }) =>
      () =>
        new SignJWT(token).setProtectedHeader({ alg: 'HS256' }).sign(key),
  ),
  promise('jose 4 HS256 verify, key as bytes', 'jose', async (_, { SignJWT, jwtVerify }) => {
    const signed = await new SignJWT(token).setProtectedHeader({ alg: 'HS256' }).sign(key);
    return async () => (await jwtVerify(signed, key)).payload.sub;
  }),
  hmac('key as bytes', 32, () => key),
  hmac('key as text', 32, () => 'a secret of thirty-two characters'),
  hmac('key as bytes', KiB, () => key),
  hmac(
    'fresh KeyObject',
    32,
    ({ createSecretKey }) =>
      () =>
        createSecretKey(key),
  ),
  hmac('reused KeyObject', 32, ({ createSecretKey }) => createSecretKey(key)),
  ...[64, KiB, 16 * KiB].map((size) => digest('sha256', size)),
  ...[64, KiB, 16 * KiB].map(oneShot),
  {
    name: 'ssri, sha512 of 5 MB',
    wait: 'sync',
    uses: 'ssri',
    form: (_, ssri) => {
      const data = bytes(64 * KiB);
      return () => {
        const hash = ssri.create({ algorithms: ['sha512'] });
        for (let size = 0; size < 5e6; size += data.length) hash.update(data);
        return hash.digest().toString();
      };
    },
  },
  ...['aes-256-gcm', 'chacha20-poly1305', 'aes-256-ctr', 'chacha20'].flatMap((name) => [
    ...[64, 256, KiB, 16 * KiB].map((size) => message(name, size)),
    ...[64, KiB, 32 * KiB].map((size) => updates(name, size)),
  ]),
  ...[64, KiB].map((size) => opened('aes-256-gcm', size)),
  ...[64, KiB].map((size) => opened('chacha20-poly1305', size)),
  ...['aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes256-ctr'].map(transfer),
];

function promise(name, uses, form) {
  return { name, wait: 'promise', inFlight: 1, uses, form };
}

function sync(name, form) {
  return { name, wait: 'sync', form };
}

function sized(size) {
  return size >= MiB ? `${size / MiB} MiB` : size >= KiB ? `${size / KiB} KiB` : `${size} B`;
}

function hmac(name, size, keyOf) {
  return sync(`createHmac sha256, ${name}, ${sized(size)}`, (crypto) => {
    const made = keyOf(crypto);
    const data = bytes(size);
    const { createHmac } = crypto;
    return typeof made === 'function'
      ? () => createHmac('sha256', made()).update(data).digest('hex')
      : () => createHmac('sha256', made).update(data).digest('hex');
  });
}

function digest(name, size) {
  return sync(`createHash ${name}, ${sized(size)}`, ({ createHash }) => {
    const data = bytes(size);
    return () => createHash(name).update(data).digest('hex');
  });
}

function oneShot(size) {
  return sync(`hash sha256, ${sized(size)}`, ({ hash }) => {
    const data = bytes(size);
    return hash && (() => hash('sha256', data));
  });
}

/** Returns the arguments of createCipheriv. */
function argumentsOf(name) {
  // The tag's size, which Node.js asks for where OpenSSL has no default.
  const options = name === 'chacha20-poly1305' ? { authTagLength: 16 } : undefined;
  return [name, key, /gcm|poly/.test(name) ? nonce : bytes(16), options];
}

function message(name, size) {
  return sync(`createCipheriv ${name}, ${sized(size)}`, ({ createCipheriv }) => {
    const [data, given] = [bytes(size), argumentsOf(name)];
    if (!/gcm|poly/.test(name))
      return () => {
        const cipher = createCipheriv(...given);
        const text = cipher.update(data);
        cipher.final();
        return text;
      };
    return () => {
      const cipher = createCipheriv(...given);
      const text = cipher.update(data);
      cipher.final();
      return [text, cipher.getAuthTag()];
    };
  });
}

function updates(name, size) {
  return sync(`one cipher ${name}, updates of ${sized(size)}`, ({ createCipheriv }) => {
    const data = bytes(size);
    let cipher;
    let left = 0;
    return () => {
      if (left-- === 0) {
        cipher = createCipheriv(...argumentsOf(name));
        left = 1000;
      }
      return cipher.update(data);
    };
  });
}

function opened(name, size) {
  return sync(`createDecipheriv ${name}, ${sized(size)}`, (crypto) => {
    const given = argumentsOf(name);
    const cipher = crypto.createCipheriv(...given);
    const data = cipher.update(bytes(size));
    cipher.final();
    const tag = cipher.getAuthTag();
    const { createDecipheriv } = crypto;
    return () => {
      const decipher = createDecipheriv(...given).setAuthTag(tag);
      const text = decipher.update(data);
      decipher.final();
      return text;
    };
  });
}

/** Returns a transfer over the loopback: client and server are in one process. */
function transfer(cipher) {
  return promise(`ssh2, 1 MiB with ${cipher}`, 'ssh2', async (_, { Client, Server, utils }) => {
    const data = randomFillSync(Buffer.alloc(MiB));
    const algorithms = { cipher: [cipher] };
    const hostKeys = [utils.generateKeyPairSync('ed25519').private];
    const server = new Server({ hostKeys, algorithms }, (client) => {
      client
        .on('authentication', (context) => context.accept())
        .on('session', (accept) =>
          accept().on('exec', (acceptCommand) => {
            const stream = acceptCommand();
            let size = 0;
            stream.on('data', (part) => {
              size += part.length;
              if (size < data.length) return;
              size = 0;
              stream.write('x');
            });
          }),
        );
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
    const client = new Client();
    const stream = await new Promise((done, fail) => {
      client
        .on('error', fail)
        .on('ready', () => client.exec('x', (error, made) => (error ? fail(error) : done(made))))
        .connect({
          host: '127.0.0.1',
          port: server.address().port,
          username: 'user',
          password: 'password',
          algorithms,
        });
    });
    return () =>
      new Promise((done) => {
        stream.once('data', () => done('received'));
        stream.write(data);
      });
  });
}
