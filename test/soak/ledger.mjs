// The ledger of what is in flight: every step from its beginning to its end, and every callback,
// which must be called once.

import millrace from 'millrace';
import promises from 'millrace/promises';

/** Thrown by callbacks on purpose; must come back as an uncaughtException, once each. */
class Thrown extends Error {
  name = 'Thrown';
}

export class Ledger {
  /**
   * How many calls with a callback have come back, and how many exceptions of callbacks have been
   * seen.
   */
  calls = 0;
  exceptions = 0;
  #fail;
  #open = new Map();
  #thrown = new Set();

  /** @param fail called with an error when something settles twice or throws what it should not */
  constructor(fail) {
    this.#fail = fail;
    process.on('uncaughtException', (error) => {
      if (this.#thrown.delete(error)) this.exceptions += 1;
      else fail(error);
    });
    process.on('unhandledRejection', fail);
  }

  begin(step) {
    this.#open.set(step, performance.now());
  }

  end(step) {
    this.#open.delete(step);
  }

  get size() {
    return this.#open.size;
  }

  /** Bytes that belong to the steps under way. */
  get bytes() {
    let sum = 0;
    for (const { bytes = 0 } of this.#open.keys()) sum += bytes;
    return sum;
  }

  /** Returns the steps under way, the oldest first. */
  unsettled() {
    const now = performance.now();
    return Array.from(this.#open, ([{ number, what }, since]) => ({
      number,
      what,
      seconds: (now - since) / 1000,
    }));
  }

  /** Exceptions thrown by callbacks that were not reported yet. */
  get missing() {
    return this.#thrown.size;
  }

  /**
   * Returns the callback, counted; with `throws` it then throws what must become an
   * uncaughtException.
   */
  once(what, callback, throws = false) {
    let count = 0;
    let returned = false;
    queueMicrotask(() => {
      returned = true;
    });
    return (...results) => {
      count += 1;
      this.calls += 1;
      if (count > 1) this.#fail(new Error(`${what}: called back ${count} times`));
      if (!returned) this.#fail(new Error(`${what}: called back before the call had returned`));
      callback(...results);
      if (!throws) return;
      const error = new Thrown(what);
      this.#thrown.add(error);
      throw error;
    };
  }

  /** Returns an entry point that counts its callbacks. */
  counted(entryPoint, what, throws = false) {
    return new Proxy(entryPoint, {
      get:
        (_, method) =>
        (...given) => {
          const last = given.at(-1);
          return typeof last === 'function'
            ? entryPoint[method](...given.slice(0, -1), this.once(what, last, throws))
            : entryPoint[method](...given);
        },
    });
  }

  /** Makes a call that is waited for as drawn (manner.mjs). */
  send({ waiting, throws }, method, args, what) {
    if (waiting === 'sync') return millrace[method](...args);
    if (waiting === 'promise') return promises[method](...args);
    return this.callback(what, (callback) => millrace[method](...args, callback), throws);
  }

  /** Returns a call with a callback as a promise. */
  callback(what, call, throws = false) {
    return new Promise((resolve, reject) => {
      call(this.once(what, (error, value) => (error ? reject(error) : resolve(value)), throws));
    });
  }
}
