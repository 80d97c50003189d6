// Small programs of packages that use noble or node:crypto, copied into a project where they are
// installed. Each check returns something that does not change from run to run; `ready` comes
// first. run.mjs compares the outcomes with and without Millrace.

import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const bytes = (size, first = 1) => Uint8Array.from({ length: size }, (_, i) => (first + i) & 255);
const text = 'The quick brown fox jumps over the lazy dog';
const utf8 = (value) => new TextEncoder().encode(value);
const hex = (value) => Buffer.from(value).toString('hex');
const mnemonic = `${'abandon '.repeat(11)}about`;
const address = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826';
const edwardsSeed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const edwardsPublic = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const jwtKey = 'a secret of at least thirty-two bytes';

/** The options of key pairs for algorithms of JWS. */
const pairs = {
  RS: ['rsa', { modulusLength: 2048 }],
  PS: ['rsa', { modulusLength: 2048 }],
  ES256: ['ec', { namedCurve: 'P-256' }],
  ES384: ['ec', { namedCurve: 'P-384' }],
  ES512: ['ec', { namedCurve: 'P-521' }],
  EdDSA: ['ed25519', {}],
};

/**
 * Signs and verifies with each algorithm of JWS, several times with one key, and verifies a changed
 * token. Resolves to the verdicts.
 */
async function signedTokens(algorithms, sign, verify) {
  const { generateKeyPairSync } = require('node:crypto');
  const verdicts = [];
  for (const algorithm of algorithms) {
    const [type, options] = pairs[algorithm] ?? pairs[algorithm.slice(0, 2)];
    const { privateKey, publicKey } = generateKeyPairSync(type, options);
    const own = privateKey.export({ format: 'pem', type: 'pkcs8' });
    const shown = publicKey.export({ format: 'pem', type: 'spki' });
    for (let use = 0; use < 3; use++) {
      const token = await sign(algorithm, own);
      const at = token.lastIndexOf('.') + 9;
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      for (const each of [token, changed])
        verdicts.push(
          await Promise.resolve()
            .then(() => verify(algorithm, shown, each))
            .catch((error) => `${error.name}: ${error.message}`),
        );
    }
  }
  return verdicts;
}

/** Returns the checks of ethereum-cryptography, in the version installed as `name`. */
const ethereum = (name) => ({
  keccak: async () => hex((await import(`${name}/keccak.js`)).keccak256(utf8(text))),
  hashes: async () => {
    const { sha256 } = await import(`${name}/sha256.js`);
    const { ripemd160 } = await import(`${name}/ripemd160.js`);
    const { blake2b } = await import(`${name}/blake2b.js`);
    return [sha256, ripemd160, blake2b].map((hash) => hex(hash(utf8(text))));
  },
  derivations: async () => {
    const { scryptSync } = await import(`${name}/scrypt.js`);
    const { pbkdf2Sync, pbkdf2 } = await import(`${name}/pbkdf2.js`);
    return [
      hex(scryptSync(bytes(9), bytes(16), 1024, 8, 1, 32)),
      hex(pbkdf2Sync(bytes(9), bytes(16), 100, 32, 'sha512')),
      hex(await pbkdf2(bytes(9), bytes(16), 100, 32, 'sha256')),
    ];
  },
  'hdkey and bip39': async () => {
    const { HDKey } = await import(`${name}/hdkey.js`);
    const { mnemonicToSeedSync } = await import(`${name}/bip39/index.js`);
    const seed = mnemonicToSeedSync(mnemonic);
    return HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0/0").publicExtendedKey;
  },
  aes: async () => {
    const { encrypt, decrypt } = await import(`${name}/aes.js`);
    const sealed = await encrypt(bytes(40), bytes(16), bytes(16), 'aes-128-ctr', false);
    const opened = await decrypt(sealed, bytes(16), bytes(16), 'aes-128-ctr', false);
    return [hex(sealed), hex(opened)];
  },
});

/**
 * The checks of packages that import noble, by the name in packages.json: they run with the
 * overrides.
 */
export const noble = {
  'web3-utils 4': {
    keccak: async () => {
      const { keccak256, sha3, soliditySha3 } = await import('web3-utils');
      return [keccak256(text), sha3(text), soliditySha3(text, text)];
    },
    checksum: async () => (await import('web3-utils')).toChecksumAddress(address),
  },
  'web3-eth-accounts 4': {
    sign: async () => {
      const { sign, recover } = await import('web3-eth-accounts');
      const signed = sign(text, `0x${hex(bytes(32))}`);
      return [signed.signature, recover(signed)];
    },
    wallet: async () => {
      const { encrypt, decrypt } = await import('web3-eth-accounts');
      const key = `0x${hex(bytes(32))}`;
      const costs = { scrypt: { n: 1024 }, pbkdf2: { c: 1000 } };
      for (const [kdf, cost] of Object.entries(costs)) {
        const opened = await decrypt(await encrypt(key, 'password', { kdf, ...cost }), 'password');
        if (opened.privateKey !== key) throw new Error(`another key with ${kdf}`);
      }
    },
  },
  'ethereum-cryptography 1': ethereum('ethereum-cryptography-1'),
  'ethereum-cryptography 2': ethereum('ethereum-cryptography-2'),
  '@ethereumjs/trie 6': async () => {
    const { Trie } = await import('@ethereumjs/trie');
    const trie = await Trie.create();
    for (let i = 0; i < 40; i++) await trie.put(bytes(32, i), bytes(50, i));
    return hex(trie.root());
  },
  'viem 2': {
    hashes: async () => {
      const { keccak256, sha256, ripemd160, getContractAddress } = await import('viem');
      const digests = [keccak256, sha256, ripemd160].map((hash) => hash(bytes(70)));
      return [...digests, getContractAddress({ from: address, nonce: 3n })];
    },
    accounts: async () => {
      const { mnemonicToAccount, privateKeyToAccount } = await import('viem/accounts');
      const account = privateKeyToAccount(`0x${hex(bytes(32))}`);
      return [mnemonicToAccount(mnemonic).address, await account.signMessage({ message: text })];
    },
    signatures: async () => {
      const { recoverMessageAddress, verifyMessage } = await import('viem');
      const { privateKeyToAccount, sign } = await import('viem/accounts');
      const privateKey = `0x${hex(bytes(32, 9))}`;
      const { address: from, signMessage } = privateKeyToAccount(privateKey);
      const signature = await signMessage({ message: text });
      const made = await sign({ hash: `0x${hex(bytes(32))}`, privateKey });
      return [
        signature,
        made.r,
        made.s,
        made.yParity,
        await recoverMessageAddress({ message: text, signature }),
        await verifyMessage({ address: from, message: text, signature }),
        await verifyMessage({ address: from, message: `${text}.`, signature }),
      ];
    },
  },
  'ethers 6': {
    hashes: async () => {
      const { id, keccak256, ripemd160, sha512, solidityPackedKeccak256 } = await import('ethers');
      const packed = solidityPackedKeccak256(['string', 'uint8'], ['a', 5]);
      return [id(text), keccak256(bytes(9)), ripemd160(bytes(9)), sha512(bytes(9)), packed];
    },
    wallet: async () => {
      const { Wallet, encryptKeystoreJson } = await import('ethers');
      const wallet = new Wallet(`0x${hex(bytes(32))}`);
      const file = await encryptKeystoreJson(wallet, 'password', { scrypt: { N: 1024 } });
      return [
        (await Wallet.fromEncryptedJson(file, 'password')).address,
        await wallet.signMessage(text),
        Wallet.fromPhrase(mnemonic).address,
      ];
    },
    'signing keys': async () => {
      const { HDNodeWallet, SigningKey, recoverAddress, verifyMessage } = await import('ethers');
      const [key, peer] = [1, 2].map((first) => new SigningKey(bytes(32, first)));
      const signature = key.sign(bytes(32, 3));
      return [
        key.publicKey,
        key.compressedPublicKey,
        signature.serialized,
        SigningKey.recoverPublicKey(bytes(32, 3), signature),
        recoverAddress(bytes(32, 3), signature),
        key.computeSharedSecret(peer.publicKey),
        SigningKey.addPoints(key.publicKey, peer.publicKey),
        verifyMessage(text, await HDNodeWallet.fromPhrase(mnemonic).signMessage(text)),
      ];
    },
  },
  '@scure/bip32 and bip39 1': {
    keys: async () => {
      const { HDKey } = await import('@scure/bip32');
      const { mnemonicToSeed } = await import('@scure/bip39');
      const key = HDKey.fromMasterSeed(await mnemonicToSeed(mnemonic, text)).derive("m/0'/1");
      return [key.privateExtendedKey, hex(key.sign(bytes(32)))];
    },
    entropy: async () => {
      const { entropyToMnemonic, mnemonicToEntropy } = await import('@scure/bip39');
      const { wordlist } = await import('@scure/bip39/wordlists/english');
      const words = entropyToMnemonic(bytes(32), wordlist);
      return [words, hex(mnemonicToEntropy(words, wordlist))];
    },
  },
  'micro-eth-signer': async () => {
    const { Transaction, addr, weigwei, weieth } = await import('micro-eth-signer');
    const transaction = Transaction.prepare({
      to: '0xdf90dea0e0bf5ca6d2a7f0cb86874ba6714f463e',
      maxFeePerGas: weigwei.decode('100'),
      value: weieth.decode('1.1'),
      nonce: 0n,
    });
    return [transaction.signBy(bytes(32), false).toHex(), addr.fromPrivateKey(bytes(32))];
  },
  'age-encryption': {
    passphrase: async () => {
      const { Encrypter, Decrypter } = await import('age-encryption');
      const encrypter = new Encrypter();
      encrypter.setPassphrase(text);
      encrypter.setScryptWorkFactor(10);
      const decrypter = new Decrypter();
      decrypter.addPassphrase(text);
      return hex(await decrypter.decrypt(await encrypter.encrypt(bytes(200_000))));
    },
    identity: async () => {
      const age = await import('age-encryption');
      const identity = await age.generateIdentity();
      const encrypter = new age.Encrypter();
      encrypter.addRecipient(await age.identityToRecipient(identity));
      const decrypter = new age.Decrypter();
      decrypter.addIdentity(identity);
      return hex(await decrypter.decrypt(await encrypter.encrypt(bytes(70_000))));
    },
  },
  'nostr-tools': {
    event: async () => {
      const { finalizeEvent, getPublicKey, verifyEvent } = await import('nostr-tools/pure');
      const template = { kind: 1, created_at: 1_700_000_000, tags: [], content: text };
      const event = finalizeEvent(template, bytes(32));
      const forged = { ...JSON.parse(JSON.stringify(event)), content: `${text}.` };
      const sig = event.sig.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
      const spoiled = { ...JSON.parse(JSON.stringify(event)), sig };
      return [event.id, getPublicKey(bytes(32)), ...[event, forged, spoiled].map(verifyEvent)];
    },
    'encrypted messages': async () => {
      const { v2 } = await import('nostr-tools/nip44');
      const { getPublicKey } = await import('nostr-tools/pure');
      const key = v2.utils.getConversationKey(bytes(32), getPublicKey(bytes(32, 7)));
      const sealed = v2.encrypt(text, key, bytes(32, 3));
      return [hex(key), sealed, v2.decrypt(sealed, key)];
    },
  },
  '@libp2p/crypto': {
    keys: async () => {
      const { generateKeyPairFromSeed } = await import('@libp2p/crypto/keys');
      const key = await generateKeyPairFromSeed('Ed25519', bytes(32));
      return [key.publicKey.toString(), hex(await key.sign(bytes(50)))];
    },
    hmac: async () => {
      const hmac = await (await import('@libp2p/crypto/hmac')).create('SHA256', bytes(16));
      return hex(await hmac.digest(bytes(50)));
    },
  },
  '@polkadot/util-crypto': {
    hashes: async () => {
      const crypto = await import('@polkadot/util-crypto');
      // The JavaScript implementation: the first argument after the size is onlyJs.
      return [
        hex(crypto.blake2AsU8a(text, 256, null, true)),
        hex(crypto.keccakAsU8a(text, 256, true)),
        hex(crypto.sha256AsU8a(text, true)),
        hex(crypto.pbkdf2Encode(text, bytes(32), 1000, true).password),
        hex(crypto.scryptEncode(text, bytes(32), { N: 1 << 13, p: 10, r: 8 }, true).password),
      ];
    },
    addresses: async () => {
      const crypto = await import('@polkadot/util-crypto');
      const pair = crypto.ed25519PairFromSeed(bytes(32), true);
      return crypto.encodeAddress(pair.publicKey);
    },
    signatures: async () => {
      const crypto = await import('@polkadot/util-crypto');
      const pair = crypto.ed25519PairFromSeed(bytes(32), true);
      const signature = crypto.ed25519Sign(text, pair, true);
      const secp = crypto.secp256k1PairFromSeed(bytes(32), true);
      const signed = crypto.secp256k1Sign(text, secp, 'blake2', true);
      return [
        hex(signature),
        crypto.ed25519Verify(text, signature, pair.publicKey, true),
        crypto.ed25519Verify(`${text}.`, signature, pair.publicKey, true),
        hex(signed),
        crypto.secp256k1Verify(text, signed, secp.publicKey, 'blake2', true),
      ];
    },
  },
  'bcrypt-pbkdf': () => {
    const { pbkdf } = require('bcrypt-pbkdf');
    const key = new Uint8Array(48);
    pbkdf(bytes(9), 9, bytes(16), 16, key, key.length, 4);
    return hex(key);
  },
  sshpk: () => {
    const sshpk = require('sshpk');
    // RFC 8032, section 7.1, and an Ed25519 key encrypted by bcrypt.
    const key = new sshpk.PrivateKey({
      type: 'ed25519',
      parts: [
        { name: 'A', data: Buffer.from(edwardsPublic, 'hex') },
        { name: 'k', data: Buffer.from(edwardsSeed, 'hex') },
      ],
    });
    const signer = key.createSign('sha512');
    signer.update(text);
    const signature = signer.sign();
    const verdicts = [text, `${text}.`].map((message) => {
      const verifier = key.toPublic().createVerify('sha512');
      verifier.update(message);
      return verifier.verify(signature);
    });
    const options = { cipher: 'aes256-ctr', passphrase: 'password' };
    const file = key.toString('openssh', options);
    const opened = sshpk.parsePrivateKey(file, 'openssh', { passphrase: 'password' });
    return [signature.toString('asn1'), verdicts, opened.fingerprint('sha256').toString()];
  },
  ed2curve: () => {
    const nacl = require('tweetnacl');
    const { convertPublicKey, convertSecretKey } = require('ed2curve');
    const pairs = [1, 2].map((first) => nacl.sign.keyPair.fromSeed(bytes(32, first)));
    const [mine, theirs] = pairs.map(({ publicKey, secretKey }) => ({
      publicKey: convertPublicKey(publicKey),
      secretKey: convertSecretKey(secretKey),
    }));
    const box = nacl.box(utf8(text), bytes(24), theirs.publicKey, mine.secretKey);
    const opened = nacl.box.open(box, bytes(24), mine.publicKey, theirs.secretKey);
    return [hex(mine.publicKey), hex(box), hex(opened)];
  },
};

/** The checks of packages that import node:crypto: they run with millrace/register. */
export const nodeCrypto = {
  ssh2: {
    'aes256-gcm@openssh.com': () => sshTransfer('aes256-gcm@openssh.com'),
    'aes128-ctr': () => sshTransfer('aes128-ctr'),
    'chacha20-poly1305@openssh.com': () => sshTransfer('chacha20-poly1305@openssh.com'),
  },
  jws: {
    HS256: () => {
      const jws = require('jws');
      const signed = jws.sign({ header: { alg: 'HS256' }, payload: text, secret: jwtKey });
      return [signed, jws.verify(signed, 'HS256', jwtKey), jws.verify(signed, 'HS256', 'other')];
    },
    signatures: () => {
      const jws = require('jws');
      return signedTokens(
        ['RS256', 'PS256', 'ES256'],
        (alg, key) => jws.sign({ header: { alg }, payload: text, privateKey: key }),
        (alg, key, token) => jws.verify(token, alg, key),
      );
    },
  },
  jsonwebtoken: () => {
    const jwt = require('jsonwebtoken');
    return signedTokens(
      ['RS256', 'PS384', 'ES256', 'ES512'],
      (algorithm, key) => jwt.sign({ text }, key, { algorithm, noTimestamp: true }),
      (algorithm, key, token) => jwt.verify(token, key, { algorithms: [algorithm] }).text === text,
    );
  },
  'jose 5': () => {
    const { CompactSign, compactVerify, importPKCS8, importSPKI } = require('jose');
    return signedTokens(
      ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'],
      async (alg, pem) => {
        const key = await importPKCS8(pem, alg);
        return new CompactSign(utf8(text)).setProtectedHeader({ alg }).sign(key);
      },
      async (alg, pem, token) => {
        const { payload } = await compactVerify(token, await importSPKI(pem, alg));
        return Buffer.from(payload).toString() === text;
      },
    );
  },
  'fast-jwt': () => {
    const { createSigner, createVerifier } = require('fast-jwt');
    const signer = createSigner({ key: jwtKey, algorithm: 'HS512', noTimestamp: true });
    const token = signer({ a: text });
    return [token, createVerifier({ key: jwtKey })(token).a];
  },
  paseto: {
    'v3.local': async () => {
      const { V3 } = require('paseto');
      const key = await V3.generateKey('local');
      const options = { assertion: 'about' };
      return (await V3.decrypt(await V3.encrypt({ text }, key, options), key, options)).text;
    },
    'v4.public': async () => {
      const { V4 } = require('paseto');
      const key = await V4.generateKey('public', { format: 'paserk' });
      return (await V4.verify(await V4.sign({ text }, key.secretKey), key.publicKey)).text;
    },
  },
  ssri: {
    data: () => {
      const ssri = require('ssri');
      const algorithms = ['sha512', 'sha384', 'sha1'];
      const integrity = ssri.fromData(bytes(70_000), { algorithms });
      return [String(integrity), String(ssri.checkData(bytes(70_000), integrity))];
    },
    stream: async () => {
      const { Readable } = await import('node:stream');
      const pieces = [Buffer.from(bytes(90_000)), Buffer.from(text)];
      return String(await require('ssri').fromStream(Readable.from(pieces)));
    },
  },
  'object-hash': () => {
    const objectHash = require('object-hash');
    const value = { text, list: [1, new Date(0), null, new Map([[1, /x/]])], bytes: bytes(99) };
    return ['sha1', 'md5', 'sha256', 'passthrough'].map((algorithm) =>
      objectHash(value, { algorithm, encoding: 'base64' }),
    );
  },
  ws: async () => {
    const { WebSocket, WebSocketServer } = await import('ws');
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
    await new Promise((done) => server.on('listening', done));
    const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`);
    const found = await new Promise((done, fail) => {
      client.on('open', () => client.send(bytes(70_000)));
      client.on('message', done).on('error', fail);
    });
    client.terminate();
    server.close();
    return hex(found);
  },
  'express-session': () => {
    const options = { secret: jwtKey, resave: false, saveUninitialized: true };
    const session = require('express-session')({ ...options, genid: () => 'identity' });
    return new Promise((done, fail) => {
      const headers = {};
      const response = {
        setHeader: (name, value) => (headers[name] = value),
        getHeader: (name) => headers[name],
        writeHead() {},
        _implicitHeader() {},
        write: () => true,
        end: () => done(headers['Set-Cookie']),
      };
      const address = { url: '/', originalUrl: '/', method: 'GET' };
      const request = { ...address, headers: {}, connection: {} };
      session(request, response, (error) => {
        if (error) return fail(error);
        request.session.text = text;
        response.writeHead(200);
        response.end();
      });
    });
  },
  pbkdf2: {
    digests: () => {
      const { pbkdf2Sync } = require('pbkdf2');
      return ['sha1', 'sha256', 'sha512', 'ripemd160', 'md5'].map((digest) =>
        hex(pbkdf2Sync('password', 'salt', 50, 70, digest)),
      );
    },
    errors: () => {
      const { pbkdf2Sync } = require('pbkdf2');
      return [
        [null, 's', 1, 1],
        ['p', 's', -1, 1],
        ['p', 's', 1, -1],
        ['p', 's', 1, 1, 'x'],
      ].map((given) => {
        try {
          return hex(pbkdf2Sync(...given));
        } catch (error) {
          return `${error.name}: ${error.message}`;
        }
      });
    },
  },
  hasha: {
    data: async () => {
      const { hash, hashSync } = await import('hasha');
      const options = ['md5', 'sha1', 'sha256', 'sha512'].map((algorithm) => ({ algorithm }));
      return Promise.all(options.flatMap((each) => [hash(text, each), hashSync(text, each)]));
    },
    file: async () => (await import('hasha')).hashFile(require.resolve('hasha')),
  },
  'browserify-sign': async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { createSign, createVerify } = require('browserify-sign');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    return ['RSA-SHA1', 'RSA-SHA256', 'RSA-SHA512'].map((name) => {
      const signature = createSign(name).update(text).sign(privateKey);
      return createVerify(name).update(text).verify(publicKey, signature);
    });
  },
  'cookie-signature': () => {
    const { sign, unsign } = require('cookie-signature');
    const signed = sign(text, jwtKey);
    return [signed, unsign(signed, jwtKey), unsign(`${signed}x`, jwtKey)];
  },
  cryptr: () => {
    const cryptr = new (require('cryptr'))(jwtKey, { pbkdf2Iterations: 1000 });
    return cryptr.decrypt(cryptr.encrypt(text));
  },
  '@hapi/iron': async () => {
    const iron = require('@hapi/iron');
    const sealed = await iron.seal({ text }, jwtKey, iron.defaults);
    return (await iron.unseal(sealed, jwtKey, iron.defaults)).text;
  },
};

/** Returns the checks of a program by title; a program may be one check. */
export function checksOf(program) {
  return typeof program === 'function' ? { 'its results': program } : program;
}

/** Sends bytes to a server over the loopback, which returns their digest. */
async function sshTransfer(cipher) {
  const { createHash } = await import('node:crypto');
  const { Client, Server, utils } = require('ssh2');
  const hostKey = utils.generateKeyPairSync('ed25519').private;
  const algorithms = { cipher: [cipher] };
  const server = new Server({ hostKeys: [hostKey], algorithms }, (client) => {
    client
      .on('authentication', (context) => context.accept())
      .on('ready', () =>
        client.on('session', (accept) =>
          accept().on('exec', (acceptCommand) => {
            const stream = acceptCommand();
            const hash = createHash('sha256');
            stream
              .on('data', (data) => hash.update(data))
              .on('end', () => {
                stream.write(hash.digest('hex'));
                stream.exit(0);
                stream.end();
              });
          }),
        ),
      )
      .on('error', () => {});
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const client = new Client();
  const login = { host: '127.0.0.1', username: 'user', password: 'password', algorithms };
  try {
    return await new Promise((done, fail) => {
      client
        .on('error', fail)
        .on('ready', () =>
          client.exec('hash', (error, stream) => {
            if (error) return fail(error);
            let answer = '';
            stream.on('data', (data) => (answer += data)).on('close', () => done(answer));
            stream.end(Buffer.from(bytes(500_000)));
          }),
        )
        .connect({ ...login, port: server.address().port });
    });
  } finally {
    client.end();
    server.close();
  }
}

// The outcomes of one program's checks, as JSON.
const [, file, name] = process.argv;
if (file.endsWith('programs.mjs')) {
  const outcomes = {};
  const checks = checksOf({ ...noble, ...nodeCrypto }[name]);
  for (const [title, check] of Object.entries(checks)) {
    try {
      outcomes[title] = { value: JSON.stringify(await check()) };
    } catch (error) {
      outcomes[title] = { error: `${error.name}: ${error.message}`.slice(0, 500) };
    }
  }
  process.stdout.write(`\n#outcomes ${JSON.stringify(outcomes)}\n`, () => process.exit());
}
