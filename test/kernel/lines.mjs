// A reporter for `node --test` in a guest: one line of JSON for each test, which kernel.test.mjs
// reports outside.

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
        error: type === 'test:fail' ? (cause?.stack ?? String(cause)) : undefined,
      })}\n`;
    }
  }
}
