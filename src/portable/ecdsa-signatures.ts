/** ECDSA signatures in DER. Modules and WebCrypto have two numbers in their place. */

/** Returns a signature in DER. */
export function toDer(signature: Uint8Array): Uint8Array {
  const size = signature.length / 2;
  const numbers = [signature.subarray(0, size), signature.subarray(size)].flatMap((half) => {
    const first = half.findIndex((byte) => byte !== 0);
    const number = first < 0 ? [0] : [...half.subarray(first)];
    if (number[0]! >= 128) number.unshift(0);
    return [2, number.length, ...number];
  });
  const header = numbers.length < 128 ? [48, numbers.length] : [48, 129, numbers.length];
  return Uint8Array.from([...header, ...numbers]);
}

/** Returns the two numbers, each of this size; undefined if `toDer` does not write the same. */
export function fromDer(der: Uint8Array, size: number): Uint8Array | undefined {
  const signature = new Uint8Array(2 * size);
  let at = der[1] === 129 ? 3 : 2;
  for (const end of [size, 2 * size]) {
    const length = der[at + 1] ?? 0;
    let number = der.subarray(at + 2, at + 2 + length);
    if (number[0] === 0) number = number.subarray(1);
    if (number.length > size) return undefined;
    signature.set(number, end - number.length);
    at += 2 + length;
  }
  const again = toDer(signature);
  const same = again.length === der.length && again.every((byte, index) => byte === der[index]);
  return same ? signature : undefined;
}
