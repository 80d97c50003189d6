// What the site tells about the package.

import { readFileSync } from 'node:fs';

const manifest = new URL('../../package.json', import.meta.url);
export const { version, license, engines } = JSON.parse(readFileSync(manifest, 'utf8'));

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
/** The repository from which CI builds the site; undefined elsewhere. */
export const repository = name === undefined ? undefined : `${server}/${name}`;

export const npmPage = 'https://www.npmjs.com/package/millrace';

/** The top of the first page: the example and the chart follow from README.md. */
export const home = {
  layout: 'home',
  hero: {
    name: 'Millrace',
    text: 'Native cryptography for Node.js',
    tagline:
      'Hashes, HMAC, AEAD, ciphers and key derivation, on every core, without blocking the event ' +
      'loop. In browsers too.',
    actions: [
      { theme: 'brand', text: 'Get started', link: './getting-started' },
      { theme: 'alt', text: 'Recipes', link: './recipes/uploads' },
      { theme: 'alt', text: 'API reference', link: './api/' },
      ...(repository === undefined ? [] : [{ theme: 'alt', text: 'Repository', link: repository }]),
    ],
  },
  facts: `Version ${version} · ${license} licence · Node.js ${engines.node.replace('>=', '')} or later`,
};
