/**
 * What node-cache.ts has: here nothing is kept.
 */

export function cachedText(_name: string): { readonly text: string; readonly file: string } | undefined {
  return undefined;
}

export function cacheText(_name: string, _text: string): string | undefined {
  return undefined;
}

export function machineName(): string {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent ?? 'unknown';
}
