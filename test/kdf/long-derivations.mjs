import promises from 'millrace/promises';

/** About a second and a half each, without much memory. */
export const longDerivations = {
  scrypt: (options) => promises.scrypt('a', 'b', 32, { N: 16384, p: 128, ...options }),
  pbkdf2: (options) => promises.pbkdf2('a', 'b', 4_000_000, 32, 'sha256', options),
  argon2: (options) =>
    promises.argon2('argon2id', {
      message: 'a',
      nonce: '12345678',
      memory: 8192,
      passes: 400,
      ...options,
    }),
  hashPassword: (options) => promises.hashPassword('a', { memory: 8192, passes: 400, ...options }),
  verifyPassword: (options) =>
    promises.verifyPassword(
      'a',
      '$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
      // The portable engine is predicted to take three times as long.
      { maxTime: 20_000, ...options },
    ),
};
