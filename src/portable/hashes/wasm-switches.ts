/**
 * The hashes of this thread that WebAssembly accelerates. Separate from wasm.ts, so that reading
 * this does not load WebAssembly.
 */
const switches = new Map<number, (on: boolean) => void>();

/** Registers the switch of an accelerated hash, which is on. */
export function noteSwitch(id: number, turn: (on: boolean) => void): void {
  switches.set(id, turn);
}

/** Runs a function with the hash in JavaScript, as in other threads. */
export function inJavaScript<T>(id: number, run: () => T): T {
  const turn = switches.get(id);
  turn?.(false);
  try {
    return run();
  } finally {
    turn?.(true);
  }
}
