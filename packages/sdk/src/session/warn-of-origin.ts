import type { Logger } from '../api/options.ts';

/** The origins of which a client has warned. The key is the list of origins that get its token. */
const warned = new WeakMap<readonly string[], Set<string>>();

/**
 * Says once for each origin that it gets no token, which looks like a defect of the backend: to the `logger`, or to the console
 * in development.
 */
export function warnOfOrigin(origin: string, origins: readonly string[], logger: Logger | undefined): void {
  const known = warned.get(origins) ?? new Set();
  warned.set(origins, known);
  if (known.has(origin)) return;
  known.add(origin);
  try {
    const target = logger ?? (isDevelopment() ? console : undefined);
    target?.warn(`edge.fetch sends no token to ${origin}: name it in the option "origins" if it needs one`);
  } catch {
    // A failing logger must not affect the request.
  }
}

function isDevelopment(): boolean {
  try {
    // Bundlers write the value here. A browser without a bundler has no `process`: that counts as production.
    return process.env.NODE_ENV === 'development';
  } catch {
    return false;
  }
}
