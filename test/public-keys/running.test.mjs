// createSign and createVerify, beside those of node:crypto.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';

import millrace from 'millrace';

const { createSign, createVerify } = millrace;
const skip = process.env.MILLRACE_ENGINE === 'portable' && 'synchronous RSA is native';
const pairs = {
  ec: crypto.generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  rsa: crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const options = {
  ec: { dsaEncoding: 'ieee-p1363' },
  rsa: { padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 },
};
const parts = ['a ', Buffer.alloc(100_000, 7), 'message'];
const filled = (message) => parts.reduce((made, part) => made.update(part), message);

for (const [name, { privateKey, publicKey }] of Object.entries(pairs))
  test(`${name}: each verifies what the other signs`, { skip }, async () => {
    for (const more of [{}, options[name]]) {
      const signer = filled(createSign('sha256'));
      for (const signature of [
        signer.sign(privateKey, more),
        await promisify(signer.sign.bind(signer))(privateKey, more),
        await promisify(signer.sign.bind(signer, privateKey, { ...more, encoding: 'buffer' }))(),
      ]) {
        const theirs = filled(crypto.createVerify('sha256'));
        assert.ok(theirs.verify({ key: publicKey, ...more }, signature));
        assert.ok(filled(createVerify('SHA256')).verify(publicKey, signature, more));
        const other = createVerify('sha256').update('another message');
        assert.equal(other.verify(publicKey, signature, more), false);
      }
      const signature = filled(crypto.createSign('sha256')).sign({ key: privateKey, ...more });
      const verifier = createVerify('sha256');
      for (const part of parts) await verifier.updateAsync(part);
      assert.equal(
        await promisify(verifier.verify.bind(verifier))(publicKey, signature, more),
        true,
      );
    }
  });

test('a message ends with its first signature, and another key may sign it', { skip }, () => {
  const signer = createSign('sha512').update('6120', 'hex').update('b');
  const first = signer.sign(pairs.rsa.privateKey, { encoding: 'hex' });
  assert.throws(() => signer.update('c'), { code: 'ERR_HASHER_SPENT' });
  assert.equal(signer.sign(pairs.rsa.privateKey).toString('hex'), first);
  const second = signer.sign(pairs.ec.privateKey);
  assert.ok(millrace.verify('sha512', 'a b', pairs.ec.publicKey, second));
});

test('wrong arguments are refused', { skip }, () => {
  const signer = createSign('sha256').update('a message');
  const { privateKey } = pairs.ec;
  const ed25519 = crypto.generateKeyPairSync('ed25519').privateKey;
  const cases = [
    [() => signer.sign(privateKey, null), 'ERR_ARGUMENT_TYPE'],
    [() => signer.sign(privateKey, 5), 'ERR_ARGUMENT_TYPE'],
    [() => signer.sign(privateKey, { padding: 'pss' }), 'ERR_ARGUMENT_VALUE'],
    [() => signer.sign(privateKey, { unknown: 1 }), 'ERR_ARGUMENT_VALUE'],
    [() => signer.sign(privateKey, {}, () => {}, 1), 'ERR_MISSING_ARGUMENT'],
    [() => signer.sign(), 'ERR_ARGUMENT_TYPE'],
    [() => signer.sign(ed25519), 'ERR_ARGUMENT_VALUE'],
    [() => createSign('no such hash'), 'ERR_UNKNOWN_ALGORITHM'],
    [() => createVerify(null), 'ERR_ARGUMENT_TYPE'],
    [() => createVerify('sha256', {}), 'ERR_MISSING_ARGUMENT'],
  ];
  for (const [call, code] of cases) assert.throws(call, { code });
  let reads = 0;
  const getter = { get dsaEncoding() { return (reads += 1) && 'der'; } }; // prettier-ignore
  const signature = signer.sign(privateKey, getter);
  assert.equal(reads, 1);
  assert.ok(millrace.verify('sha256', 'a message', pairs.ec.publicKey, signature));
});
