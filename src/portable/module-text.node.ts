/**
 * Returns the text of a WebAssembly module. In dist/portable the build has put a function in its
 * place, which loads it from a file.
 */
export function loadText<Source>(source: Source): Source {
  return typeof source === 'function' ? (source as () => Source)() : source;
}
