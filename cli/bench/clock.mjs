// The loops around the calls. Each is compiled afresh for each measurement: in a loop that several
// functions share V8 would stop inlining any of them. Without Node.js's modules: it also runs in a
// page.

/** Compiles a function again from its source text, so that it has its own type feedback. */
export function fresh(fn) {
  return new Function(`return (${fn.toString()});`)();
}

export function syncLoop(call, count) {
  let result;
  for (let i = 0; i < count; i++) result = call();
  return result;
}

/** A clock in milliseconds; the other is the processor time of a process. */
export const wallTime = () => performance.now();

/**
 * Returns how many calls take `time`, by the fastest of the samples: one may have been preempted.
 * Also the warm-up: at least 15 ms and five samples long, so that optimised code is timed.
 */
export function calibrate(loop, call, time, warmUp = time * 5, now = wallTime) {
  const start = now();
  let count = 1;
  let least = Infinity;
  do {
    const begin = now();
    loop(call, count);
    const took = now() - begin;
    least = Math.min(least, Math.max(took, 0.001) / count);
    if (took < time / 4) count *= 2;
  } while (now() - start < Math.max(15, warmUp));
  return Math.max(1, Math.round(time / least));
}

/** Seconds for a call. */
export function runLoop(loop, call, count, now = wallTime) {
  const start = now();
  loop(call, count);
  return (now() - start) / 1000 / count;
}

/**
 * Keeps all calls in flight for `time` milliseconds. Resolves to the seconds for a call and to
 * latencies. `chains` is a fresh callbackChains or promiseChains.
 */
export function runChains(chains, calls, time) {
  return new Promise((resolve, reject) => {
    const state = {
      time,
      start: performance.now(),
      open: true,
      done: 0,
      running: calls.length,
      latencies: [],
      finish() {
        const seconds = (performance.now() - state.start) / 1000 / state.done;
        resolve({ seconds, latencies: thin(state.latencies) });
      },
      reject(error) {
        state.open = false;
        reject(error);
      },
    };
    chains(calls, state);
  });
}

// The first chain reads the clock, once a call: that gives the latency of a call among the others
// and ends the sample. The other chains only count.

export function callbackChains(calls, state) {
  const [timed, ...others] = calls;
  const go = (call, next) => {
    try {
      call(next);
    } catch (error) {
      state.reject(error);
    }
  };
  const end = () => {
    if (--state.running === 0) state.finish();
  };
  for (const call of others) {
    const next = (error) => {
      if (error) return state.reject(error);
      state.done++;
      if (state.open) go(call, next);
      else end();
    };
    go(call, next);
  }
  let begin = performance.now();
  const next = (error) => {
    if (error) return state.reject(error);
    const now = performance.now();
    state.latencies.push(now - begin);
    state.done++;
    if (now - state.start < state.time) {
      begin = now;
      go(timed, next);
    } else {
      state.open = false;
      end();
    }
  };
  go(timed, next);
}

export function promiseChains(calls, state) {
  const [timed, ...others] = calls;
  const end = () => {
    if (--state.running === 0) state.finish();
  };
  for (const call of others) {
    const next = () => {
      state.done++;
      if (state.open) call().then(next, state.reject);
      else end();
    };
    call().then(next, state.reject);
  }
  let begin = performance.now();
  const next = () => {
    const now = performance.now();
    state.latencies.push(now - begin);
    state.done++;
    if (now - state.start < state.time) {
      begin = now;
      timed().then(next, state.reject);
    } else {
      state.open = false;
      end();
    }
  };
  timed().then(next, state.reject);
}

/** Returns enough of the latencies for a p99, in seconds. */
function thin(latencies) {
  const step = Math.ceil(latencies.length / 2000);
  return latencies.filter((_, index) => index % step === 0).map((each) => each / 1000);
}
