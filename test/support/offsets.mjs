// The arguments of the offset forms of `millrace/crypto-async` as the other entry points take them:
// subarrays and options. A last argument that is an options object is merged into the options.

const take = (args, at) => args[at].subarray(args[at + 1], args[at + 1] + args[at + 2]);

/** Converts `(algorithm, ...)` of the offset form of `method` in the form with options. */
export function withOptions(method, args) {
  if (method === 'cipher') return cipherOptions(args);
  const at = method === 'hash' ? 1 : 4;
  const options = { target: args[at + 3], targetOffset: args[at + 4] };
  const source = take(args, at);
  return method === 'hash' ? [args[0], source, options] : [args[0], take(args, 1), source, options];
}

/** Converts `(algorithm, encrypt, key, offset, size, ...)` to `(algorithm, options)`. */
export function cipherOptions(args, more) {
  const [algorithm, encrypt] = args;
  const tagged = args.length >= 19 ? { aad: take(args, 13), tag: take(args, 16) } : {};
  return [
    algorithm,
    {
      encrypt,
      key: ArrayBuffer.isView(args[2]) ? take(args, 2) : args[2],
      iv: take(args, 5),
      source: take(args, 8),
      target: args[11],
      targetOffset: args[12],
      ...tagged,
      ...more,
    },
  ];
}
