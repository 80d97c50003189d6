// Started with --import before noble's tests: registers the hooks and hands noble's sources to
// Millrace for what it lacks.

import { register } from 'node:module';

const settings = JSON.parse(process.env.MILLRACE_NOBLE_SUITE);
register('./hooks.mjs', import.meta.url, { data: settings });

if (settings.ours && settings.natives === undefined) {
  const { directory, entry, major, name, sources } = settings;
  const { default: front } = await import(entry);
  const modules = {};
  for (const source of sources) modules[source] = await import(`${directory}/src/${source}.ts`);
  front.useNoble(name, major, (subpath) => modules[subpath]);
  globalThis.millraceNobleCalls = front.nobleCalls;
}
