/**
 * Which hashes of this thread have something quicker than JavaScript for long messages. Apart from
 * wasm.ts, so that who asks does not load WebAssembly.
 */
const switches = new Map<number, (on: boolean) => void>();

/** Something turns it on and off for the hash of this number; it is on. */
export function noteSwitch(id: number, turn: (on: boolean) => void): void {
  switches.set(id, turn);
}

/** Runs something with the hash of this number in JavaScript, as it is in other threads. */
export function inJavaScript<T>(id: number, run: () => T): T {
  const turn = switches.get(id);
  turn?.(false);
  try {
    return run();
  } finally {
    turn?.(true);
  }
}
