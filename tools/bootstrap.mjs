// The one way in: `npm start`, `npm test`, `npm run check`, `npm run soak` and `npm run bench` all
// come through here. Needs nothing but Node: it checks what the machine has, installs and builds
// what is missing or out of date, and then runs the verb. A second run finds everything in place
// and only runs the verb.
//
//   node tools/bootstrap.mjs start|test|test:kernel|test:cpus|soak|bench|check|build [arguments of
//   the verb]

// Read before anything newer than Node 14 is imported, so that an old Node gets this line and no
// stack trace.
const required = 20;
if (Number.parseInt(process.versions.node, 10) < required) {
  console.error(
    `millrace: Node.js ${required} or later is needed, this is ${process.version}. Get one ` +
      `at https://nodejs.org/`,
  );
  process.exit(1);
}

Promise.all([import('./verbs.mjs'), import('./prerequisites.mjs')])
  .then(([{ verbs }, { leaveHomeAlone }]) => {
    leaveHomeAlone();
    return main(verbs, process.argv[2], process.argv.slice(3));
  })
  .catch(fail);

async function main(verbs, verb, args) {
  if (!Object.hasOwn(verbs, verb)) {
    console.error(`usage: node tools/bootstrap.mjs ${Object.keys(verbs).join('|')} [arguments]`);
    process.exitCode = 1;
    return;
  }
  process.exitCode = await verbs[verb](args);
}

function fail(error) {
  // A Stop is expected (a missing tool, a failed step) and has said everything in its message.
  // So has an option that a verb does not take.
  const expected = error?.name === 'Stop' || String(error?.code).startsWith('ERR_PARSE_ARGS');
  console.error(expected ? error.message : error);
  process.exit(1); // steps that run beside it, too
}
