// Ciphers: published and recorded ciphertexts in every form and call style, and texts that were
// changed.

import { join, pattern } from './bytes.mjs';
import { aeadCases, cipherVectors } from './vectors.mjs';
import { guard, guarded, same, sameBytes } from './verdicts.mjs';

const SHORT = 5000;

/** Tests the general form, `cipher`, of stream ciphers and AEADs. */
export async function ciphers(context) {
  const { options, add, styles, refused } = context;
  for (const [algorithm, all] of Object.entries(await cipherVectors(context))) {
    const { aead } = context.made.ciphers[algorithm];
    const known = all.filter(({ secret }) => secret !== undefined);
    for (const { name: way, call } of styles) {
      const cipher = ({ aad, tag, ...given }) =>
        call('cipher', algorithm, { ...options, ...given, ...(aead && { aad, tag }) });
      const byPosition = ({ encrypt, key, iv, source, aad, tag }) =>
        call('cipher', algorithm, encrypt, key, iv, source, ...(aead ? [aad, tag] : []));
      const each = (form, run, list = known) =>
        add('ciphers', algorithm, `${way}, ${form}`, run, list);
      for (const [form, run, encrypt, decrypt] of [
        ['options', cipher, true, 0],
        ['by position', byPosition, 1, false],
      ])
        each(form, async ({ note, key, iv, aad, plain, secret, tag }) => {
          const made = new Uint8Array(16);
          const sealed = await run({ encrypt, key, iv, source: plain, aad, tag: made });
          sameBytes(sealed, secret, `${note}, encrypted`);
          if (aead) sameBytes(made, tag, `${note}, tag`);
          const opened = await run({ encrypt: decrypt, key, iv, source: secret, aad, tag });
          sameBytes(opened, plain, `${note}, decrypted`);
        });
      each('parts of larger buffers', async ({ note, key, iv, aad, plain, secret, tag }) => {
        const made = guard(18);
        const target = guard(plain.length + 9);
        const part = (bytes) => join([pattern(3), bytes, pattern(2)]).subarray(3, 3 + bytes.length);
        for (const [encrypt, source, expected] of [
          [true, plain, secret],
          [false, secret, plain],
        ]) {
          const written = await cipher({
            encrypt,
            key: part(key),
            iv: part(iv),
            source: part(source),
            target,
            targetOffset: 4,
            ...(aead && { aad: part(aad) }),
            tag: made.subarray(1, 17),
          });
          same(written, plain.length, note);
          guarded(target, 4, expected, `${note}, encrypt: ${encrypt}`);
          if (aead) guarded(made, 1, tag, `${note}, tag`);
        }
      });
      each('in place, and over itself', async ({ note, key, iv, aad, plain, secret }) => {
        for (const [from, to] of [
          [0, 0],
          [0, 3],
          [5, 0],
        ]) {
          const target = new Uint8Array(plain.length + 8);
          target.set(plain, from);
          const source = target.subarray(from, from + plain.length);
          const given = { key, iv, source, target, targetOffset: to, aad, tag: new Uint8Array(16) };
          same(await cipher({ ...given, encrypt: true }), plain.length, note);
          sameBytes(target.slice(to, to + plain.length), secret, `${note}, from ${from} to ${to}`);
        }
      });
      if (!aead) {
        const sized = all.filter(({ sealed }) => sealed !== undefined);
        const thereAndBack = async ({ note, key, iv, plain, sealed }) => {
          const secret = await cipher({ encrypt: true, key, iv, source: plain });
          sameBytes(secret, sealed, note);
          const back = await cipher({ encrypt: false, key, iv, source: secret });
          sameBytes(back, plain, `${note}, back`);
        };
        each('many sizes', thereAndBack, sized);
        continue;
      }
      each('changed texts and tags do not open', async (vector) => {
        const { note, key, iv, aad, plain, secret, tag } = vector;
        for (const broken of [
          { tag: flipped(tag) },
          { iv: flipped(iv) },
          { key: flipped(key) },
          ...(secret.length > 0 ? [{ source: flipped(secret) }] : []),
          { aad: join([aad, pattern(1)]) },
        ]) {
          const target = guard(plain.length + 4);
          const given = { encrypt: false, key, iv, source: secret, aad, tag, target };
          const what = `${note}, ${Object.keys(broken)[0]} changed`;
          await refused(
            cipher({ ...given, targetOffset: 2, ...broken }),
            'ERR_AUTHENTICATION',
            what,
          );
          guarded(target, 2, new Uint8Array(plain.length), `${what}: the target`);
        }
      });
    }
  }
}

/** Tests seal and open: the tag is appended. */
export async function seals(context) {
  const { millrace, promises, options, add, made, styles, refused } = context;
  const vectors = await cipherVectors(context);
  const wycheproof = await aeadCases(context);
  for (const [algorithm, all] of Object.entries(vectors)) {
    const { keySize, ivSize, aead } = made.ciphers[algorithm];
    if (!aead) continue;
    const few = all.filter(({ plain }) => plain.length <= SHORT);
    for (const { name: way, call } of styles) {
      const each = (form, run, list) => add('seals', algorithm, `${way}, ${form}`, run, list);
      const seal = (given) => call('seal', algorithm, { ...options, ...given });
      const open = (given) => call('open', algorithm, { ...options, ...given });
      const thereAndBack = async ({ note, key, iv: nonce, aad, plain, secret, tag, sealed }) => {
        const given = { key, nonce, aad };
        const closed = await seal({ ...given, source: plain });
        sameBytes(closed, sealed ?? join([secret, tag]), `${note}, sealed`);
        sameBytes(await open({ ...given, source: closed }), plain, `${note}, opened`);
      };
      each('seal and open', thereAndBack, all);
      const inPlace = async ({ note, key, iv: nonce, aad, plain }) => {
        const target = guard(plain.length + 24);
        const given = { key, nonce, aad, target, targetOffset: 4 };
        const expected = millrace.seal(algorithm, { ...options, key, nonce, aad, source: plain });
        const within = (size) => target.subarray(4, 4 + size);
        same(await seal({ ...given, source: plain }), expected.length, note);
        guarded(target, 4, expected, `${note}, target`);
        same(await open({ ...given, source: within(expected.length) }), plain.length, note);
        sameBytes(within(plain.length).slice(), plain, `${note}, opened in place`);
        same(await seal({ ...given, source: within(plain.length) }), expected.length, note);
        guarded(target, 4, expected, `${note}, sealed in place`);
      };
      each('targets, in place too', inPlace, few);
      const changed = async ({ note, key, iv: nonce, aad, plain }) => {
        const given = { key, nonce, aad };
        const sealed = millrace.seal(algorithm, { ...options, ...given, source: plain });
        for (const change of [
          { source: flipped(sealed, sealed.length - 1) },
          { source: flipped(sealed, 0) },
          { source: flipped(sealed) },
          { source: sealed.slice(1) },
          { nonce: flipped(nonce) },
          { key: flipped(key) },
          { aad: join([aad, pattern(1)]) },
        ]) {
          const broken = { ...given, source: sealed, ...change };
          const size = broken.source.length - 16;
          if (size < 0) continue;
          const what = `${note}, ${Object.keys(change)[0]} changed`;
          const target = guard(plain.length + 2);
          await refused(open(broken), 'ERR_AUTHENTICATION', what);
          await refused(open({ ...broken, target, targetOffset: 1 }), 'ERR_AUTHENTICATION', what);
          guarded(target, 1, new Uint8Array(size), `${what}: the target`);
        }
      };
      each('what was changed does not open', changed, few);
      const asPublished = async (vector) => {
        if (vector.valid) return thereAndBack(vector);
        const { note, key, iv: nonce, aad, secret, tag } = vector;
        const source = join([secret, tag]);
        return refused(open({ key, nonce, aad, source }), 'ERR_AUTHENTICATION', note);
      };
      const published = wycheproof.filter(
        ({ algorithm: of, tag }) => of === algorithm && tag.length === 16,
      );
      // It has none of XAES-256-GCM.
      if (published.length > 0) each('Wycheproof', asPublished, published);
    }
    const given = { ...options, key: pattern(keySize, 4), nonce: pattern(ivSize, 5) };
    const opened = (source, more) => millrace.open(algorithm, { ...given, source, ...more });
    add('seals', algorithm, 'text, no aad, and many in flight', async () => {
      const inFlight = (more) =>
        Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            promises.seal(algorithm, { ...given, ...more(index) }),
          ),
        );
      const texts = await inFlight((index) => ({ source: 'Grüße '.repeat(index) }));
      for (const [index, source] of texts.entries()) {
        const text = new TextDecoder().decode(opened(source, { aad: '' }));
        same(text, 'Grüße '.repeat(index), `text ${index}`);
      }
      // With random nonces, which stand before the texts.
      const prefixed = await inFlight((at) => ({ nonce: undefined, source: pattern(at * 100) }));
      for (const [index, source] of prefixed.entries()) {
        const expected = pattern(index * 100);
        sameBytes(opened(source, { nonce: undefined }), expected, `random nonce ${index}`);
        const parts = { nonce: source.slice(0, ivSize), source: source.slice(ivSize) };
        const again = await promises.open(algorithm, { ...given, ...parts });
        sameBytes(again, expected, `random nonce ${index}, given`);
      }
    });
    if (!/^aes-\d+-gcm$/.test(algorithm)) continue;
    add('seals', algorithm, 'shorter tags', async () => {
      const sealing = { ...given, aad: pattern(5), source: pattern(100) };
      const whole = millrace.seal(algorithm, sealing);
      for (const authTagLength of [12, 13, 14, 15]) {
        const what = `tag of ${authTagLength}`;
        const sealed = await promises.seal(algorithm, { ...sealing, authTagLength });
        sameBytes(sealed, whole.slice(0, 100 + authTagLength), what);
        const opening = { ...sealing, source: sealed, authTagLength };
        sameBytes(millrace.open(algorithm, opening), pattern(100), what);
        const source = flipped(sealed, sealed.length - 1);
        const changed = promises.open(algorithm, { ...opening, source });
        await refused(changed, 'ERR_AUTHENTICATION', `${what}, changed`);
      }
      for (const authTagLength of [0, 4, 8, 11, 17]) {
        const sealed = promises.seal(algorithm, { ...sealing, authTagLength });
        await refused(sealed, 'ERR_TAG_SIZE', `tag of ${authTagLength}`);
      }
    });
  }
}

function flipped(bytes, at = bytes.length >> 1) {
  const changed = bytes.slice();
  changed[at] ^= 0x40;
  return changed;
}
