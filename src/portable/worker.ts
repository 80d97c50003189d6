/**
 * What runs in a worker: one errand after the other.
 */
import { runErrand, type Errand, type Tiding } from './errand.js';
import { measure } from './prices.js';

/** A worker's end of the way to the thread that has started it. */
export interface Port {
  post(tiding: Tiding, transfer: ArrayBuffer[]): void;
  listen(hear: (errand: Errand) => void): void;
}

/** Milliseconds between two reports of how far a derivation has come. */
const REPORT = 20;

/** Runs what comes, until somebody ends the thread. */
export function serve(port: Port): void {
  port.listen((errand) => {
    let told = Date.now();
    const tell = (fraction: number): void => {
      const now = Date.now();
      if (now - told < REPORT) return;
      told = now;
      port.post({ tells: 'progress', fraction }, []);
    };
    const { status, target, tag } = runErrand(errand, errand.watched ? tell : undefined);
    // What is given away must be all of its buffer.
    const transfer = [target, tag].filter(({ buffer, length }) => length > 0 && buffer.byteLength === length).map(({ buffer }) => buffer as ArrayBuffer);
    port.post({ tells: 'end', status, target, tag }, transfer);
    if (!errand.measure) return;
    const { operation, algorithm } = errand;
    const price = measure(operation, algorithm);
    if (price !== undefined) port.post({ tells: 'price', operation, algorithm, price }, []);
  });
  port.post({ tells: 'ready' }, []);
}
