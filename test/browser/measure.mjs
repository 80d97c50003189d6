// The measurements in a page, which page.mjs makes global there.

import * as millrace from '/dist/browser/index.mjs';
import * as promises from '/dist/browser/promises.mjs';

/** Ours beside WebCrypto, in turns: medians, and how long the page stood still while ours ran. */
export async function measureBeside({ size, rounds }) {
  const source = new Uint8Array(size).map((_, index) => index * 31);
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const nonce = new Uint8Array(12);
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']);
  const jobs = {
    sha256: {
      ours: () => promises.hash('sha256', source),
      theirs: () => crypto.subtle.digest('SHA-256', source),
    },
    'aes-256-gcm': {
      ours: () => promises.seal('aes-256-gcm', { key: bytes, nonce, source }),
      theirs: () => crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, source),
    },
  };
  const found = [];
  for (const [what, { ours, theirs }] of Object.entries(jobs)) {
    const times = { ours: [], theirs: [] };
    const [one, two] = [new Uint8Array(await ours()), new Uint8Array(await theirs())];
    const right = same(one, two);
    let [frame, longTasks] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const turns = Object.entries({ ours, theirs });
      for (const [name, run] of round % 2 === 0 ? turns : turns.reverse()) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const watch = watchFrames();
        const begin = performance.now();
        await run();
        times[name].push(performance.now() - begin);
        const seen = await watch();
        if (name === 'theirs') continue;
        frame = Math.max(frame, seen.frame);
        longTasks += seen.longTasks;
      }
    }
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const [mine, other] = [middle(times.ours), middle(times.theirs)];
    found.push({ what, ours: mine, theirs: other, ratio: mine / other, frame, longTasks, right });
  }
  return found;
}

/** Measures the frames of the page while workers compute. */
export async function measureFrames({ size }) {
  const source = new Uint8Array(size).map((_, index) => index * 31);
  const salt = new Uint8Array(16);
  const quarter = source.subarray(0, size / 4);
  const sealing = { key: new Uint8Array(32), nonce: new Uint8Array(24) };
  const jobs = {
    [`blake3 of ${size / 2 ** 20} MiB`]: [
      () => promises.hash('blake3', source),
      (digest) => same(digest, millrace.createHash('blake3').update(source).digest()),
    ],
    [`xchacha20-poly1305 of ${size / 2 ** 22} MiB`]: [
      () => promises.seal('xchacha20-poly1305', { ...sealing, source: quarter }),
      async (sealed) =>
        same(await promises.open('xchacha20-poly1305', { ...sealing, source: sealed }), quarter),
    ],
    'argon2id of 64 MiB, 3 passes': [
      () =>
        promises.argon2('argon2id', { message: 'password', nonce: salt, memory: 65536, passes: 3 }),
      (key) => key.length === 32,
    ],
    'scrypt N=131072 r=8': [
      () => promises.scrypt('password', salt, 32, { N: 2 ** 17, maxmem: 2 ** 28 }),
      (key) => key.length === 32,
    ],
  };
  const found = [];
  for (const [what, [run, check]] of Object.entries(jobs)) {
    const watch = watchFrames();
    const begin = performance.now();
    const result = await run();
    const ms = performance.now() - begin;
    found.push({ what, ms, ...(await watch()), right: await check(result) });
  }
  return found;
}

function same(one, two) {
  return one.length === two.length && one.every((byte, index) => byte === two[index]);
}

/** Starts to watch the page; the function that it returns ends that and resolves to the figures. */
function watchFrames() {
  let [frame, frames, longTasks, last, going] = [0, 0, 0, performance.now(), true];
  const observer = new PerformanceObserver((list) => (longTasks += list.getEntries().length));
  observer.observe({ type: 'longtask' });
  const tick = (now) => {
    frame = Math.max(frame, now - last);
    frames++;
    last = now;
    if (going) requestAnimationFrame(tick);
  };
  requestAnimationFrame((now) => ((last = now), requestAnimationFrame(tick)));
  return async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    going = false;
    observer.disconnect();
    return { frame, frames, longTasks };
  };
}
