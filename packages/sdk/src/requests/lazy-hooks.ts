import { loadCode } from '../errors/load-code.ts';
import type { CallHooks } from './exchange.ts';
import type { HookOptions } from './later/hooks.ts';

/** Makes the hooks of one call, or `undefined` when the options have none. Their code is loaded at the first call. */
export function lazyHooks(options: HookOptions): (() => Promise<CallHooks>) | undefined {
  const { headers, onRequest, onResponse, logger, traceparent } = options;
  if (!(headers || onRequest || onResponse || logger || traceparent)) return undefined;
  return async () => (await loadCode(() => import('./later/hooks.ts'))).createHooks(options)();
}
