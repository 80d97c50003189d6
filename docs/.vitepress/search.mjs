// The search of the site: MiniSearch's index of every section, with words that mean the same.

/** Options of VitePress's local search. Functions are sent to the browser as text. */
export const search = {
  provider: 'local',
  options: {
    detailedView: true,
    miniSearch: {
      /** Indexes a page of a function as a whole: its signatures are not separate results. */
      _splitIntoSections(path, html) {
        if (!/[\\/]api[\\/].*[\\/]functions[\\/]/.test(path)) return undefined;
        const text = (part) => part.replaceAll(/<[^>]*>/g, '');
        const [, title, rest] = /<h1[^>]*>(.*?) <a class="header-anchor".*?<\/h1>([^]*)$/.exec(
          html,
        );
        return [{ anchor: '', titles: [text(title)], text: text(rest) }];
      },
      options: {
        /** Indexes the parts of names too: `hashPassword` is found by `password`. */
        processTerm(term) {
          const parts = term.split(/(?<=[a-z0-9])(?=[A-Z])/);
          return [term, ...(parts.length > 1 ? parts : [])].map((each) => each.toLowerCase());
        },
      },
      searchOptions: {
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        prefix: (term) => term.length > 2,
        weights: { fuzzy: 0.1, prefix: 0.4 },
        boost: { title: 6, titles: 2, text: 1 },
        /** Adds the words that the documentation uses for a term. */
        processTerm(term) {
          const synonyms = {
            aad: ['associated', 'aad'],
            aes: ['algorithms', 'seal'],
            auth: ['password', 'login'],
            authentication: ['authentication', 'login', 'hmac'],
            browser: ['browsers'],
            checksum: ['checksums', 'crc32', 'xxh3'],
            cloudflare: ['workers', 'edge'],
            compare: ['timingsafeequal', 'verify'],
            csprng: ['randombytes'],
            decrypt: ['open', 'decipher'],
            decryption: ['open', 'decipher'],
            encrypt: ['seal', 'cipher'],
            encryption: ['seal', 'cipher'],
            ethereum: ['keccak256', 'ethers'],
            gcm: ['seal'],
            iv: ['nonce'],
            jwe: ['tokens'],
            jws: ['tokens'],
            jwt: ['tokens'],
            lambda: ['serverless', 'servers'],
            migrate: ['migrating', 'compatibility', 'replaces'],
            migration: ['migrating', 'compatibility', 'replaces'],
            performance: ['benchmark', 'results'],
            pieces: ['incremental'],
            salt: ['scrypt', 'argon2'],
            sign: ['hmac', 'verifyhmac'],
            signature: ['hmac', 'verifyhmac', 'webhook'],
            speed: ['benchmark', 'results'],
            thread: ['workers', 'pool'],
            threads: ['workers', 'pool'],
            wasm: ['webassembly', 'portable'],
          };
          const lower = term.toLowerCase();
          const family = /^(sha|blake|md5|keccak|ripemd)\d*$/.test(lower) ? ['hashing'] : [];
          return [lower, ...family, ...(Object.hasOwn(synonyms, lower) ? synonyms[lower] : [])];
        },
        /** Prefers the guide to the reference, and both to what is for contributors. */
        boostDocument(id) {
          if (/\/(changelog|design-notes|first-fix|internals)\b/.test(id)) return 0.3;
          if (/\/(variables|enumerations)\/|\/api\/.*\/(#|$)/.test(id)) return 0.2;
          if (/\/api\//.test(id)) return /\/(functions|classes)\//.test(id) ? 1 : 0.5;
          return 1.5;
        },
      },
    },
  },
};
