/** Returns the text of a WebAssembly module, which is part of the bundle. */
export function loadText<Source>(source: Source): Source {
  return source;
}
