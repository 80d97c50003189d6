// Ciphers and AEADs: right texts and tags in every form, and what must not open.

import { join, pattern } from './bytes.mjs';
import { aeadCases, cipherVectors, optional } from './vectors.mjs';
import { ok, same, sameBytes, sameError } from './verdicts.mjs';
import { errorOf, callStylesOf } from './call-styles.mjs';

const SHORT = 5000;

/** Tests the general form, `cipher`, of stream ciphers and AEADs. */
export async function ciphers(context) {
  const { millrace, promises, options, add } = context;
  for (const [algorithm, all] of Object.entries(await cipherVectors(context))) {
    const { aead } = context.made.ciphers[algorithm];
    const known = all.filter(({ secret }) => secret !== undefined);
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      const each = (form, run, list = known) =>
        add('ciphers', algorithm, `${way}, ${form}`, () => inTurn(list, run));
      each('options', async ({ note, key, iv, aad, plain, secret, tag }) => {
        const made = aead ? new Uint8Array(16) : undefined;
        sameBytes(
          await call('cipher', algorithm, {
            ...options,
            encrypt: true,
            key,
            iv,
            source: plain,
            ...optional({ aad, tag: made }),
          }),
          secret,
          `${note}, encrypted`,
        );
        if (aead) sameBytes(made, tag, `${note}, tag`);
        sameBytes(
          await call('cipher', algorithm, {
            ...options,
            encrypt: 0,
            key,
            iv,
            source: secret,
            ...optional({ aad, tag }),
          }),
          plain,
          `${note}, decrypted`,
        );
      });
      each('by position', async ({ note, key, iv, aad, plain, secret, tag }) => {
        const made = new Uint8Array(16);
        sameBytes(
          await call('cipher', algorithm, 1, key, iv, plain, ...(aead ? [aad, made] : [])),
          secret,
          `${note}, encrypted`,
        );
        if (aead) sameBytes(made, tag, `${note}, tag`);
        sameBytes(
          await call('cipher', algorithm, false, key, iv, secret, ...(aead ? [aad, tag] : [])),
          plain,
          `${note}, decrypted`,
        );
      });
      each('parts of larger buffers', async ({ note, key, iv, aad, plain, secret, tag }) => {
        const made = new Uint8Array(18).fill(0xa5);
        const target = new Uint8Array(plain.length + 9).fill(0xa5);
        const part = (bytes) => join([pattern(3), bytes, pattern(2)]).subarray(3, 3 + bytes.length);
        const run = (encrypt, source, code) =>
          call('cipher', algorithm, {
            ...options,
            encrypt,
            key: part(key),
            iv: part(iv),
            source: part(source),
            target,
            targetOffset: 4,
            ...(aead && { aad: part(aad), tag: code.subarray(1, 17) }),
          });
        same(await run(true, plain, made), plain.length, note);
        sameBytes(target.slice(4, -5), secret, `${note}, encrypted`);
        if (aead) sameBytes(made.slice(1, -1), tag, `${note}, tag`);
        ok(
          [0, 3, target.length - 5, target.length - 1].every((at) => target[at] === 0xa5) &&
            made[0] === 0xa5 &&
            made[17] === 0xa5,
          `${note}: written beside the target`,
        );
        same(await run(false, secret, made), plain.length, note);
        sameBytes(target.slice(4, -5), plain, `${note}, decrypted`);
      });
      each('in place, and over itself', async ({ note, key, iv, aad, plain, secret }) => {
        for (const [from, to] of [
          [0, 0],
          [0, 3],
          [5, 0],
        ]) {
          const buffer = new Uint8Array(plain.length + 8);
          buffer.set(plain, from);
          const code = aead ? new Uint8Array(16) : undefined;
          const given = {
            ...options,
            key,
            iv,
            source: buffer.subarray(from, from + plain.length),
            target: buffer,
            targetOffset: to,
            ...optional({ aad, tag: code }),
          };
          same(await call('cipher', algorithm, { ...given, encrypt: true }), plain.length, note);
          sameBytes(buffer.slice(to, to + plain.length), secret, `${note}, from ${from} to ${to}`);
        }
      });
      if (!aead) {
        each(
          'many sizes',
          async ({ note, key, iv, plain, sealed }) => {
            const secret = await call('cipher', algorithm, {
              ...options,
              encrypt: true,
              key,
              iv,
              source: plain,
            });
            sameBytes(secret, sealed, note);
            sameBytes(
              await call('cipher', algorithm, {
                ...options,
                encrypt: false,
                key,
                iv,
                source: secret,
              }),
              plain,
              `${note}, back`,
            );
          },
          all.filter(({ sealed }) => sealed !== undefined),
        );
        continue;
      }
      each(
        'changed texts and tags do not open',
        async ({ note, key, iv, aad, plain, secret, tag }) => {
          for (const broken of [
            { tag: flipped(tag) },
            { iv: flipped(iv) },
            { key: flipped(key) },
            ...(secret.length > 0 ? [{ source: flipped(secret) }] : []),
            { aad: join([aad, pattern(1)]) },
          ]) {
            const target = new Uint8Array(plain.length + 4).fill(0xa5);
            const given = {
              ...options,
              encrypt: false,
              key,
              iv,
              source: secret,
              aad,
              tag,
              target,
              targetOffset: 2,
              ...broken,
            };
            const what = `${note}, ${Object.keys(broken)[0]} changed`;
            sameError(
              await errorOf(call('cipher', algorithm, given), what),
              'ERR_AUTHENTICATION',
              millrace,
              what,
            );
            ok(
              target.slice(2, -2).every((byte) => byte === 0) &&
                target[1] === 0xa5 &&
                target.at(-2) === 0xa5,
              `${what}: the target is not all zero`,
            );
          }
        },
      );
    }
  }
}

/** Tests seal and open: the tag is appended. */
export async function seals(context) {
  const { millrace, promises, options, add, made } = context;
  const vectors = await cipherVectors(context);
  const wycheproof = await aeadCases(context);
  for (const [algorithm, all] of Object.entries(vectors)) {
    if (!made.ciphers[algorithm].aead) continue;
    const few = all.filter(({ plain }) => plain.length <= SHORT);
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      const each = (form, run, list = all) =>
        add('seals', algorithm, `${way}, ${form}`, () => inTurn(list, run));
      each('seal and open', async ({ note, key, iv: nonce, aad, plain, secret, tag, sealed }) => {
        const given = { ...options, key, nonce, aad };
        const closed = await call('seal', algorithm, { ...given, source: plain });
        sameBytes(closed, sealed ?? join([secret, tag]), `${note}, sealed`);
        sameBytes(
          await call('open', algorithm, { ...given, source: closed }),
          plain,
          `${note}, opened`,
        );
      });
      each(
        'targets, in place too',
        async ({ note, key, iv: nonce, aad, plain }) => {
          const given = { ...options, key, nonce, aad };
          const expected = millrace.seal(algorithm, { ...given, source: plain });
          const buffer = new Uint8Array(plain.length + 24).fill(0xa5);
          same(
            await call('seal', algorithm, {
              ...given,
              source: plain,
              target: buffer,
              targetOffset: 4,
            }),
            expected.length,
            note,
          );
          sameBytes(buffer.slice(4, 4 + expected.length), expected, `${note}, target`);
          same(
            await call('open', algorithm, {
              ...given,
              source: buffer.subarray(4, 4 + expected.length),
              target: buffer,
              targetOffset: 4,
            }),
            plain.length,
            note,
          );
          sameBytes(buffer.slice(4, 4 + plain.length), plain, `${note}, opened in place`);
          same(
            await call('seal', algorithm, {
              ...given,
              source: buffer.subarray(4, 4 + plain.length),
              target: buffer,
              targetOffset: 4,
            }),
            expected.length,
            note,
          );
          sameBytes(buffer.slice(4, 4 + expected.length), expected, `${note}, sealed in place`);
          ok(
            buffer[3] === 0xa5 && buffer[4 + expected.length] === 0xa5,
            `${note}: written beside the target`,
          );
        },
        few,
      );
      each(
        'what was changed does not open',
        async ({ note, key, iv: nonce, aad, plain }) => {
          const given = { ...options, key, nonce, aad };
          const sealed = millrace.seal(algorithm, { ...given, source: plain });
          const changes = [
            { source: flipped(sealed, sealed.length - 1) },
            { source: flipped(sealed, 0) },
            { source: flipped(sealed) },
            { source: sealed.slice(1) },
            { nonce: flipped(nonce) },
            { key: flipped(key) },
            { aad: join([aad, pattern(1)]) },
          ];
          for (const change of changes) {
            if (change.source !== undefined && change.source.length < 16) continue;
            const what = `${note}, ${Object.keys(change)[0]} changed`;
            const target = new Uint8Array(plain.length + 2).fill(0xa5);
            sameError(
              await errorOf(call('open', algorithm, { ...given, source: sealed, ...change }), what),
              'ERR_AUTHENTICATION',
              millrace,
              what,
            );
            sameError(
              await errorOf(
                call('open', algorithm, {
                  ...given,
                  source: sealed,
                  ...change,
                  target,
                  targetOffset: 1,
                }),
                what,
              ),
              'ERR_AUTHENTICATION',
              millrace,
              `${what}, target`,
            );
            const size = (change.source ?? sealed).length - 16;
            ok(
              target.slice(1, 1 + size).every((byte) => byte === 0) && target[0] === 0xa5,
              `${what}: the target is not all zero`,
            );
          }
        },
        few,
      );
      add('seals', algorithm, `${way}, Wycheproof`, () =>
        inTurn(
          wycheproof.filter((each_) => each_.algorithm === algorithm && each_.tag.length === 16),
          async ({ note, valid, key, iv: nonce, aad, plain, secret, tag }) => {
            const given = { ...options, key, nonce, aad };
            if (!valid) {
              sameError(
                await errorOf(
                  call('open', algorithm, { ...given, source: join([secret, tag]) }),
                  note,
                ),
                'ERR_AUTHENTICATION',
                millrace,
                note,
              );
              return;
            }
            sameBytes(
              await call('seal', algorithm, { ...given, source: plain }),
              join([secret, tag]),
              note,
            );
            sameBytes(
              await call('open', algorithm, { ...given, source: join([secret, tag]) }),
              plain,
              note,
            );
          },
        ),
      );
    }
    add('seals', algorithm, 'text, no aad, and many in flight', async () => {
      const { keySize, ivSize } = made.ciphers[algorithm];
      const given = { ...options, key: pattern(keySize, 4), nonce: pattern(ivSize, 5) };
      const sealed = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          promises.seal(algorithm, { ...given, source: 'Grüße '.repeat(index) }),
        ),
      );
      for (const [index, each_] of sealed.entries()) {
        same(
          new TextDecoder().decode(millrace.open(algorithm, { ...given, source: each_, aad: '' })),
          'Grüße '.repeat(index),
          `text ${index}`,
        );
      }
      // With random nonces, which stand before the texts.
      const random = { ...given, nonce: undefined };
      const prefixed = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          promises.seal(algorithm, { ...random, source: pattern(index * 100) }),
        ),
      );
      for (const [index, each_] of prefixed.entries()) {
        const [nonce, source] = [each_.slice(0, ivSize), each_.slice(ivSize)];
        sameBytes(
          millrace.open(algorithm, { ...random, source: each_ }),
          pattern(index * 100),
          `random nonce ${index}`,
        );
        sameBytes(
          await promises.open(algorithm, { ...given, nonce, source }),
          pattern(index * 100),
          `random nonce ${index}, given`,
        );
      }
    });
    if (/^aes-\d+-gcm$/.test(algorithm)) {
      add('seals', algorithm, 'shorter tags', async () => {
        const given = {
          ...options,
          key: pattern(made.ciphers[algorithm].keySize, 4),
          nonce: pattern(12, 5),
          aad: pattern(5),
        };
        const whole = millrace.seal(algorithm, { ...given, source: pattern(100) });
        for (const authTagLength of [12, 13, 14, 15]) {
          const sealed = await promises.seal(algorithm, {
            ...given,
            source: pattern(100),
            authTagLength,
          });
          sameBytes(sealed, whole.slice(0, 100 + authTagLength), `tag of ${authTagLength}`);
          sameBytes(
            millrace.open(algorithm, { ...given, source: sealed, authTagLength }),
            pattern(100),
            `tag of ${authTagLength}`,
          );
          sameError(
            await errorOf(
              promises.open(algorithm, {
                ...given,
                source: flipped(sealed, sealed.length - 1),
                authTagLength,
              }),
              'changed',
            ),
            'ERR_AUTHENTICATION',
            millrace,
            'changed',
          );
        }
        for (const authTagLength of [0, 4, 8, 11, 17])
          sameError(
            await errorOf(
              promises.seal(algorithm, { ...given, source: pattern(1), authTagLength }),
              'tag',
            ),
            'ERR_TAG_SIZE',
            millrace,
            `tag of ${authTagLength}`,
          );
      });
    }
  }
}

function flipped(bytes, at = bytes.length >> 1) {
  const changed = bytes.slice();
  changed[at] ^= 0x40;
  return changed;
}

async function inTurn(list, run) {
  for (const each of list) await run(each);
}
