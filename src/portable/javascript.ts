/**
 * `millrace/javascript`: the portable engine for places that cannot compile its WebAssembly. A page
 * with a Content-Security-Policy that lacks `'wasm-unsafe-eval'` gets JavaScript, a runtime without
 * vectors gets WebAssembly that needs none.
 */
import { refuseSurplus } from '../base/errors.js';
import { compileText } from './module.js';
import { setReplacement } from './replacement.js';
import { javascript, plain } from './modules/all/replacements.js';

/**
 * Makes the portable engine run where its WebAssembly is refused. To be called once, before the
 * first call of `millrace`. Where WebAssembly with vectors is allowed it changes nothing.
 *
 * @example
 * ```js
 * import { useJavaScript } from 'millrace/javascript';
 * import { hash } from 'millrace';
 *
 * useJavaScript();
 * hash('sha256', 'abc', 'hex');
 * ```
 */
export function useJavaScript(): void {
  refuseSurplus(arguments, 0, 'useJavaScript()');
  setReplacement((name, plainly) => {
    try {
      if (plainly) return compileText(plain[name]!, true);
    } catch {
      // Not allowed either.
    }
    return javascript[name]!;
  });
}
