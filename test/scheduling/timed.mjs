/** Returns the milliseconds that something takes, and what comes of it: a value or an error. */
export async function timed(start) {
  const begin = performance.now();
  const outcome = await start().then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  return { ms: performance.now() - begin, ...outcome };
}
