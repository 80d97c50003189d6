/** The names of the algorithms, by PublicKeyAlgorithm. */
export const algorithmNames = [
  'ed25519',
  'x25519',
  'p-256',
  'p-384',
  'p-521',
  'rsa',
  'rsa-pss',
  'ml-kem-512',
  'ml-kem-768',
  'ml-kem-1024',
  'ml-dsa-44',
  'ml-dsa-65',
  'ml-dsa-87',
  'x-wing',
] as const;

/** The name of an algorithm of asymmetric keys. */
export type PublicKeyAlgorithmName = (typeof algorithmNames)[number];
