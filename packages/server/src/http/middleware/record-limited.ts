import type { ControllerEvents } from '../../core/events/events.ts';
import type { Observer } from './on-completion.ts';

export interface LimitedOptions {
  /** Called for each request that got 429. */
  readonly onLimited?: (limited: ControllerEvents['request.limited']) => void;
}

/** Records the requests that were refused because somebody asks for too much. */
export function recordLimited({ onLimited }: LimitedOptions): Observer {
  return ({ res, state, url, ip: ipAddress }) => {
    if (res.statusCode !== 429) return;
    const identityId = state.session?.principal.id;
    const path = (url.split('?', 1)[0] ?? '').slice(0, 512);
    onLimited?.({ code: state.errorCode ?? 'UNHANDLED', path, ipAddress, ...(identityId && { identityId }) });
  };
}
