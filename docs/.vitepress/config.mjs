// The documentation site. tools/docs.mjs fills .site/pages from the Markdown of the repository.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitepress';

import { slugify } from '../../tools/links.mjs';
import { npmPage, repository, version } from './about.mjs';
import { extend, hangingIndent } from './markdown.mjs';
import { search } from './search.mjs';

const sidebarOfReference = fileURLToPath(
  new URL('../.site/pages/api/typedoc-sidebar.json', import.meta.url),
);

const page = (text, link) => ({ text, link });

export default defineConfig({
  title: 'Millrace',
  description: 'Native cryptography for Node.js, with a portable engine for browsers',
  base: process.env.MILLRACE_SITE_BASE ?? '/',
  srcDir: '.site/pages',
  outDir: '.site/dist',
  cacheDir: '.site/cache',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify },
    headers: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [hangingIndent],
    config: extend,
  },
  themeConfig: {
    search,
    outline: [2, 3],
    nav: [
      page('Guide', '/getting-started'),
      page('Command', '/cli'),
      page('API', '/api/'),
      page('Benchmarks', '/benchmark-results'),
      page('Try it', '/try'),
      { text: version, items: [page('Changelog', '/changelog'), page('npm', npmPage)] },
    ],
    socialLinks: repository === undefined ? [] : [{ icon: 'github', link: repository }],
    sidebar: {
      '/api/': [{ text: 'API reference', link: '/api/', items: reference() }],
      '/': [
        {
          text: 'Guide',
          items: [
            page('Getting started', '/getting-started'),
            page('Choosing algorithms', '/choosing'),
            page('Algorithms and limits', '/algorithms'),
            page('Hashing', '/hashing'),
            page('Sealing a message', '/sealing'),
            page('Sealed streams', '/sealed-streams'),
            page('age', '/age'),
            page('Incremental ciphers', '/incremental-ciphers'),
            page('Passwords and key derivation', '/key-derivation'),
            page('Keys and secrets', '/keys'),
            page('Public keys', '/public-keys'),
            page('Browsers', '/browsers'),
            page('Servers and bundlers', '/servers-and-bundlers'),
            page('Platforms', '/platforms'),
            page('Questions and answers', '/faq'),
            page('Try it in this browser', '/try'),
          ],
        },
        {
          text: 'Recipes',
          items: [
            page('Uploads', '/recipes/uploads'),
            page('Contents by digest', '/recipes/content-addressed'),
            page('Backup and restore', '/recipes/backup'),
            page('Tokens', '/recipes/tokens'),
            page('A webhook', '/recipes/webhook'),
            page('S3', '/recipes/s3'),
            page('A handshake', '/recipes/handshake'),
            page('A login', '/recipes/login'),
            page('A Merkle tree', '/recipes/merkle-tree'),
            page('A database', '/recipes/database'),
            page('Rotating keys', '/recipes/rotating-keys'),
            page('Workers and cluster', '/recipes/workers'),
            page('Many machines', '/recipes/many-machines'),
          ],
        },
        {
          text: 'Reference',
          items: [
            page('The millrace command', '/cli'),
            page('API', '/api/'),
            page('Error codes', '/errors'),
            page('Settings and variables', '/settings'),
            page('Formats', '/formats'),
          ],
        },
        {
          text: 'Concepts',
          items: [
            page('Asynchronous calls and routes', '/async'),
            page('Memory: copied or lent', '/memory'),
            page('Large results', '/large-results'),
            page('Choosing an engine', '/engine-option'),
            page('Engines and runtimes', '/engines'),
            page('The portable engine', '/portable'),
            page('The kernel engine', '/kernel'),
          ],
        },
        {
          text: 'Benchmarks',
          items: [page('Results', '/benchmark-results'), page('Method', '/benchmarks')],
        },
        {
          text: 'Compatibility',
          items: [
            page('Migrating', '/migrating'),
            page('millrace/node-crypto', '/node-crypto'),
            page('millrace/webcrypto', '/webcrypto'),
            page('node:crypto', '/node-differences'),
            page('@ronomon/crypto-async', '/crypto-async'),
            page('bigint-hash, bigint-buffer', '/bigint-hash'),
            page('noble and ethers', '/noble-and-ethers'),
            page('The AWS SDK', '/aws-checksums'),
            page('tweetnacl, noble-curves', '/overrides'),
          ],
        },
        {
          text: 'Project',
          items: [
            page('Security', '/security'),
            page('Verify an installation', '/verify-installation'),
            page('For an audit', '/audit'),
            page('Proofs of kernels', '/proofs'),
            page('Changelog', '/changelog'),
            page('Architecture', '/internals/architecture'),
            page('Design notes', '/design-notes'),
            page('The scheduler', '/internals/pool'),
            page('Contributing', '/internals/contributing'),
            page('A first fix', '/first-fix'),
          ].filter(({ link }) => existsSync(new URL(`../.site/pages${link}.md`, import.meta.url))),
        },
      ],
    },
  },
});

function reference() {
  return existsSync(sidebarOfReference) ? JSON.parse(readFileSync(sidebarOfReference, 'utf8')) : [];
}
