// For `node --test` in a guest: what became of each test, one line of JSON each, which
// kernel.test.mjs repeats outside.

export default async function* lines(events) {
  const path = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      path.length = data.nesting;
      path.push(data.name);
    } else if (type === 'test:pass' || type === 'test:fail') {
      // Groups fail and pass with their parts; Node before 22 reports each file as a test as well.
      const { error, type: kind } = data.details ?? {};
      if (kind === 'suite' || error?.failureType === 'subtestsFailed' || data.name.endsWith('.mjs'))
        continue;
      const cause = error?.cause ?? error;
      yield `${JSON.stringify({
        name: [...path.slice(0, data.nesting), data.name].join(': '),
        passed: type === 'test:pass',
        skipped: data.skip ?? data.todo,
        ms: data.details?.duration_ms,
        file: data.file,
        error: type === 'test:fail' ? (cause?.stack ?? String(cause)) : undefined,
      })}\n`;
    }
  }
}
