/** Returns the function of an entry point by its name, or by its path: `hkdf.extract`. */
export function member(entryPoint, path) {
  return path.split('.').reduce((found, name) => found[name], entryPoint);
}
