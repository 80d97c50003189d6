// Runs the test suites of public keys that are in some folders, each with Millrace and with Node
// alone: published vectors, Node's own tests, the Web Platform Tests and the suites of packages.

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { nodeCryptoTests } from './node-crypto-tests.mjs';
import { Stop, root, stream } from './steps.mjs';
import { webcryptoTests } from './webcrypto-tests.mjs';

/** The depth to which folders are searched. */
const DEPTH = 5;
const packages = ['jose', 'jsonwebtoken', 'jws', 'fast-jwt', 'paseto', 'openid-client', 'ssh2'];
const ofNode =
  '^test-crypto-(async-sign|sign-|key-objects|keygen|e?c?dh|rsa|oaep|padding|encap|pqc)';
const ofNodeWebCrypto =
  '^test-webcrypto-(sign|derive.*-(cfrg|ecdh)|encap|encrypt-decrypt-rsa|' +
  'export-import-(ec|cfrg|rsa|ml|akp)|keygen|promise)';
const ofPlatform =
  'sign_verify|derive.*/(cfrg|ecdh)|encap|encrypt_decrypt/rsa|generateKey|import_export|PublicKey';

const tests = join(root, 'test');

/** What the suites would build is there. */
const built = () => {};

/** Runs in one folder after the other. Resolves to the worst exit code. */
const inTurn = (run) => async (folders, values) => {
  const codes = [];
  for (const folder of folders) codes.push(await run(folder, values));
  return Math.max(...codes);
};

/** Returns a suite of Node's own files that match. */
const nodeFiles = (name, selected) => ({
  name,
  finds: (folder) => folder.endsWith('/test/parallel'),
  run: inTurn((folder, { node, match }) =>
    nodeCryptoTests([folder, '--node', node, '--match', match || selected, '--allow', '0'], built),
  ),
});

/** The suites: the folders that each takes, and how it runs in all that were found. */
const suites = [
  {
    name: 'vectors',
    finds: (folder) => /\/(testvectors_v1|acvp|json-files|rfc|ed25519-speccheck)$/.test(folder),
    run: (folders, { node, match }) =>
      stream(node, [join(tests, 'public-keys', 'vectors.mjs'), ...folders, '--match', match]),
  },
  nodeFiles("Node's own tests of node:crypto", ofNode),
  nodeFiles("Node's own tests of WebCrypto", ofNodeWebCrypto),
  {
    name: 'Web Platform Tests',
    finds: (folder) => folder.endsWith('/WebCryptoAPI'),
    run: inTurn((folder, { node, match }) =>
      webcryptoTests([folder, '--node', node, '--match', match || ofPlatform], built),
    ),
  },
  {
    name: 'suites of packages',
    finds: (folder) => packages.some((each) => existsSync(join(folder, each, 'package.json'))),
    run: inTurn((folder, { node }) => {
      const args = [...packages, '--suites', folder, '--node', node];
      return stream(process.execPath, [join(tests, 'dependents', 'run.mjs'), ...args]);
    }),
  },
];

/**
 * Runs the suites, after `prepare` if the options are right; resolves to the exit code: 1 if
 * anything fails only with Millrace.
 */
export async function publicKeyTests(args, prepare) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      node: { type: 'string', default: process.execPath },
      match: { type: 'string', default: '' },
    },
  });
  if (positionals.length === 0)
    throw new Stop(
      'usage: npm run test:public-keys -- DIRECTORY... [--node PATH] [--match REGEXP]',
    );
  const folders = positionals.flatMap((each) => [...below(resolve(each), DEPTH)]);
  await prepare();
  const failed = [];
  for (const { name, finds, run } of suites) {
    const found = folders.filter((folder) => finds(folder.replaceAll('\\', '/')));
    console.log(found.length > 0 ? `\n# ${name}` : `\nskipped: ${name}: none in ${positionals}`);
    if (found.length > 0 && (await run(found, values)) !== 0) failed.push(name);
  }
  console.log(failed.length > 0 ? `\nfailed: ${failed.join(', ')}` : '');
  return failed.length > 0 ? 1 : 0;
}

/** Yields a folder and those in it. */
function* below(folder, depth) {
  yield folder;
  if (depth === 0) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && !/^(\.git|node_modules)$/.test(entry.name))
      yield* below(join(folder, entry.name), depth - 1);
}
