// The measurements in a page. Both functions are sent there as text, so each holds all that it
// needs.

/** Ours beside WebCrypto, in turns: medians, and how long the page stood still while ours ran. */
export async function measureBeside({ size, rounds }) {
  const { promises } = globalThis.entryPoints;
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
    const right = one.length === two.length && one.every((byte, index) => byte === two[index]);
    let frame = 0;
    let longTasks = 0;
    for (let round = 0; round < rounds; round++) {
      for (const [name, run] of round % 2 === 0
        ? [
            ['ours', ours],
            ['theirs', theirs],
          ]
        : [
            ['theirs', theirs],
            ['ours', ours],
          ]) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const watch = watchFrames();
        const begin = performance.now();
        await run();
        times[name].push(performance.now() - begin);
        const seen = await watch();
        if (name === 'ours')
          [frame, longTasks] = [Math.max(frame, seen.frame), longTasks + seen.longTasks];
      }
    }
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const [mine, other] = [middle(times.ours), middle(times.theirs)];
    found.push({ what, ours: mine, theirs: other, ratio: mine / other, frame, longTasks, right });
  }
  return found;

  function watchFrames() {
    let [frame, longTasks, last, going] = [0, 0, performance.now(), true];
    const observer = new PerformanceObserver((list) => (longTasks += list.getEntries().length));
    observer.observe({ type: 'longtask' });
    const tick = (now) => {
      frame = Math.max(frame, now - last);
      last = now;
      if (going) requestAnimationFrame(tick);
    };
    requestAnimationFrame((now) => ((last = now), requestAnimationFrame(tick)));
    return async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      going = false;
      observer.disconnect();
      return { frame, longTasks };
    };
  }
}

/** Measures the frames of the page while workers compute. */
export async function measureFrames({ size }) {
  const { millrace, promises } = globalThis.entryPoints;
  const source = new Uint8Array(size).map((_, index) => index * 31);
  const salt = new Uint8Array(16);
  const jobs = {
    [`blake3 of ${size / 2 ** 20} MiB`]: [
      () => promises.hash('blake3', source),
      (digest) => same(digest, millrace.createHash('blake3').update(source).digest()),
    ],
    [`xchacha20-poly1305 of ${size / 2 ** 22} MiB`]: [
      () =>
        promises.seal('xchacha20-poly1305', {
          key: new Uint8Array(32),
          nonce: new Uint8Array(24),
          source: source.subarray(0, size / 4),
        }),
      async (sealed) =>
        same(
          await promises.open('xchacha20-poly1305', {
            key: new Uint8Array(32),
            nonce: new Uint8Array(24),
            source: sealed,
          }),
          source.subarray(0, size / 4),
        ),
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
    const begin = performance.now();
    const result = await run();
    const ms = performance.now() - begin;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    going = false;
    observer.disconnect();
    found.push({ what, ms, frame, frames, longTasks, right: await check(result) });
  }
  return found;

  function same(one, two) {
    return one.length === two.length && one.every((byte, index) => byte === two[index]);
  }
}
