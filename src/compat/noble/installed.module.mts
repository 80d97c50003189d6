/**
 * The Millrace installed above a bundle for Node.js. tools/noble-modules.mjs writes this module for
 * the packages for overrides, whose bundled modules have the portable engine only.
 */
// The default import: webpack follows an imported `createRequire`.
import Module from 'node:module';

let load: NodeJS.Require | null | undefined;

/**
 * Returns an export of the installed Millrace, or `portable` if there is none above the bundle.
 *
 * @param path the module: `noble-hashes/sha2.js`
 * @throws Error ERR_ENGINE_UNAVAILABLE with MILLRACE_ENGINE=native if none is installed, and what an
 *   installed one throws
 */
export function picked<Export>(path: string, name: string, portable: Export): Export {
  if (load === undefined) load = installed();
  const found = load?.(`millrace/${path}`);
  return found !== undefined && Object.hasOwn(found, name) ? found[name] : portable;
}

function installed(): NodeJS.Require | null {
  try {
    // A CommonJS bundle has no `import.meta.url`, or that of the source on the build machine.
    const found = Module.createRequire(
      typeof __filename === 'string' ? __filename : import.meta.url,
    );
    found.resolve('millrace/package.json');
    return found;
  } catch (cause) {
    const message =
      'This bundle has the portable engine of millrace only, and finds no installed millrace ' +
      'above it. Install it there, or set MILLRACE_ENGINE=portable; see "Servers and bundlers" ' +
      `in the documentation: ${(cause as Error).message.split('\n')[0]}`;
    const code = 'MILLRACE_NO_BINARY';
    const wanted = process.env['MILLRACE_ENGINE'];
    if (wanted === 'native')
      throw Object.assign(new Error(message, { cause }), { code: 'ERR_ENGINE_UNAVAILABLE' });
    if (wanted !== 'portable') process.emitWarning(message, { type: 'MillraceWarning', code });
    return null;
  }
}
