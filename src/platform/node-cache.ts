/**
 * What is kept on this machine from one process to the next: one small file in the user's cache folder. In browsers there is
 * none. `MILLRACE_CACHE` names another folder, or is `off`.
 */
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, homedir } from 'node:os';
import { join } from 'node:path';

/** More than this is nothing of ours. */
const SIZE_MAX = 64 * 1024;

/**
 * A file of the cache; undefined if it is not there, cannot be read, or another user could have written it. Looking for one that is
 * not there takes 5 us.
 */
export function cachedText(name: string): { readonly text: string; readonly file: string } | undefined {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  const file = join(folder, name);
  if (!existsSync(file)) return undefined;
  let opened: number | undefined;
  try {
    opened = openSync(file, 'r');
    const { uid, mode, size } = fstatSync(opened);
    const user = process.getuid?.();
    if (size > SIZE_MAX || (user !== undefined && (uid !== user || (mode & 0o022) !== 0))) return undefined;
    return { text: readFileSync(opened, 'utf8'), file };
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** Writes a file of the cache as a whole; its path, or undefined if the cache is off. Throws the file system's errors. */
export function cacheText(name: string, text: string): string | undefined {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  const fresh = `${file}.${process.pid}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  return file;
}

/** What a measurement holds for, beside the version of this library: the processor, and what runs on it. */
export function machineName(): string {
  const models = [...new Set(cpus().map(({ model }) => model.trim()))].join(' + ');
  const hidden = process.env.MILLRACE_CPU_HIDE;
  return `${process.platform} ${process.arch}, ${models || 'unknown processor'}, Node.js ${process.version}${hidden ? `, without ${hidden}` : ''}`;
}

function cacheFolder(): string | undefined {
  try {
    return namedFolder();
  } catch {
    // Deno shows variables only to who has `--allow-env`.
    return undefined;
  }
}

function namedFolder(): string | undefined {
  const { env, platform } = process;
  const named = env.MILLRACE_CACHE?.trim();
  if (named?.toLowerCase() === 'off') return undefined;
  if (named) return named;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'millrace');
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'millrace', 'cache') : undefined;
  const home = env.HOME ?? homedir();
  if (!home) return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'millrace') : join(home, '.cache', 'millrace');
}
