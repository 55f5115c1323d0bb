import type { Runtime } from 'node:inspector/promises';

/** The functions that V8 makes up. */
const made = ['(root)', '(program)', '(idle)', '(garbage collector)'];

/**
 * Who wrote a function: a wing of `packages/server/src`, another package of ours, a package of npm, or Node. `null`: native
 * code, which works for its caller.
 */
export function ownerOf({ functionName, url }: Pick<Runtime.CallFrame, 'functionName' | 'url'>): string | null {
  if (made.includes(functionName)) return functionName;
  if (url === '') return null;
  if (url.startsWith('node:')) return 'node';
  const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (installed) return installed;
  const [, name, layer = ''] = /\/packages\/([^/]+)\/src\/([^/]+)/.exec(url) ?? [];
  if (name === 'server') return `server/${layer}`;
  return name ?? 'bench';
}
