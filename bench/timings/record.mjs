// The records of times: what is measured for them, and where they are.

/** Operands and options of `millrace bench`. A change begins new lines in the charts. */
export const measurements = [
  'hash sync -a sha256,sha512,sha3-256,blake3,xxh3-64 -s 64,4K,1M',
  'hmac sync -a hmac-sha256 -s 64,4K,1M',
  'aead sync -a aes-256-gcm,chacha20-poly1305 -s 64,4K,1M',
  'aead hash async -a aes-256-gcm,sha256 -s 64,4K,1M',
];

/** `value` is in seconds for one operation, the quartiles likewise. */
export const heads = [
  'date',
  'commit',
  'machine',
  'table',
  'what',
  'wait',
  'size',
  'competitor',
  'form',
  'value',
  'lower_quartile',
  'upper_quartile',
  'disturbed',
];

/** The name of the file for a CPU model. */
export function fileNameOf(model = 'unknown CPU') {
  const name = model
    .toLowerCase()
    .replace(/\((r|tm)\)|\bcpu\b|@.*$/g, ' ')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `timings-${name || 'unknown'}.csv`;
}
