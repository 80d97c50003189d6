/** Ciphers of families' modules. Texts pass through windows of the memory, where they are changed. */
import { layOut, WINDOW, type Family } from './family.js';

/** The function of a module with a stream cipher. */
export interface StreamCalls {
  apply(
    key: number,
    keySize: number,
    iv: number,
    block: number,
    text: number,
    size: number,
  ): number;
}

/** Encrypts or decrypts a text; `block` is the cipher's block in bytes. */
export function applyStream(
  family: Family<StreamCalls>,
  block: number,
  key: Uint8Array,
  iv: Uint8Array,
  source: Uint8Array,
  target: Uint8Array,
): void {
  if (source.length === 0) return;
  const [first = 0, second = 0, place = 0] = layOut(family, [key, iv]);
  const calls = family.open();
  const pass = windows(family, place);
  const whole = family.end;
  family.end = 0;
  try {
    pass(source, target, (at, size) =>
      calls.apply(first, key.length, second, at / block, place, size),
    );
    family.end = whole;
  } finally {
    pass.end();
  }
}

/** The functions of a module with an AEAD. */
export interface AeadCalls {
  /** Returns the address of a message. */
  begin(
    key: number,
    keySize: number,
    nonce: number,
    nonceSize: number,
    aad: number,
    aadSize: number,
  ): number;
  seal(message: number, text: number, size: number): number;
  open(message: number, text: number, size: number, tag: number, tagSize: number): number;
  tag(message: number, tag: number, size: number): number;
  verify(message: number, tag: number, size: number): number;
  end(message: number): void;
  /** The second pass of AES-GCM-SIV. */
  encrypt?(message: number, block: number, text: number, size: number, tag: number): number;
}

/** An AEAD. */
export interface FamilyAead {
  /** Encrypts and writes the first `tag.length` bytes of the tag. */
  seal(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
  ): void;
  /** Decrypts, and returns true if the tag is right; otherwise the target is zero. */
  open(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
  ): boolean;
}

/** Makes an AEAD of a module. */
export function aeadOf(family: Family<AeadCalls>): FamilyAead {
  const run = (
    [key, nonce, aad, tag]: readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array],
    work: (calls: AeadCalls, message: number, tag: number, pass: Pass, place: number) => boolean,
  ): boolean => {
    const [first = 0, second = 0, third = 0, fourth = 0, place = 0] = layOut(family, [
      key,
      nonce,
      aad,
      tag,
    ]);
    const calls = family.open();
    const pass = windows(family, place);
    const whole = family.end;
    family.end = 0;
    try {
      const message = calls.begin(first, key.length, second, nonce.length, third, aad.length);
      const done = work(calls, message, fourth, pass, place);
      calls.end(message);
      family.end = whole;
      return done;
    } finally {
      pass.end();
    }
  };
  return {
    seal: (key, nonce, aad, source, target, tag) =>
      void run([key, nonce, aad, tag], (calls, message, place, pass, text) => {
        const { encrypt } = calls;
        pass(source, encrypt === undefined ? target : undefined, (_, size) =>
          calls.seal(message, text, size),
        );
        calls.tag(message, place, tag.length);
        tag.set(family.bytes().subarray(place, place + tag.length));
        if (encrypt !== undefined)
          pass(source, target, (at, size) => encrypt(message, at / 16, text, size, place));
        return true;
      }),
    open: (key, nonce, aad, source, target, tag) =>
      run([key, nonce, aad, tag], (calls, message, place, pass, text) => {
        pass(source, target, (_, size) => calls.open(message, text, size, place, tag.length));
        const right = calls.verify(message, place, tag.length) === 0;
        if (!right) target.fill(0);
        return right;
      }),
  };
}

/** Passes a text through the window, and copies what `each` made of it to the target. */
interface Pass {
  (
    source: Uint8Array,
    target: Uint8Array | undefined,
    each: (at: number, size: number) => number,
  ): void;
  /** Overwrites the memory. */
  end(): void;
}

/** Returns the passes through the window that begins at an address. */
function windows(family: Family<object>, place: number): Pass {
  let used = 0;
  const pass: Pass = (source, target, each) => {
    for (let at = 0; at < source.length; at += WINDOW) {
      const size = Math.min(WINDOW, source.length - at);
      used = Math.max(used, size);
      family.bytes().set(source.subarray(at, at + size), place);
      if (each(at, size)) throw new Error('the module failed');
      target?.set(family.bytes().subarray(place, place + size), at);
    }
  };
  pass.end = () => family.wipe(place + used, true);
  return pass;
}
