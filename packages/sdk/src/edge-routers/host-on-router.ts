import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../errors/deadline.ts';
import type { EdgeConnectionError } from './connection-error.ts';
import { isEdgeConnectionError } from './connection-error.ts';
import type { OpenedService } from './opened-services.ts';
import type { RouterBind } from './router-bind.ts';
import type { RouterChannel } from './router-channel.ts';
import type { SessionRouters } from './session-routers.ts';

/** What keeps a service bound on one router. */
export interface Host {
  readonly service: string;
  readonly url: string;
  /** Aborts when the router is no longer wanted. */
  readonly signal: AbortSignal;
  readonly current: () => Promise<SessionRouters>;
  readonly bind: (channel: RouterChannel, opened: OpenedService) => RouterBind;
  readonly established: (bind: RouterBind) => void;
  /** The router has the bind no more, or did not get it. Returns the milliseconds until the next try. */
  readonly failed: (error: unknown, failures: number) => number;
}

/** Milliseconds in which the controller must know a bind. */
const establishTimeout = 30_000;

/** Binds a service on one router, again and again, until the signal aborts. */
export async function hostOnRouter(host: Host): Promise<void> {
  const { signal } = host;
  let failures = 0;
  while (!signal.aborted) {
    let error: unknown;
    try {
      error = await bindOnce(host, () => {
        failures = 0;
      });
    } catch (reason) {
      error = reason;
    }
    if (signal.aborted) return;
    failures += 1;
    await sleep(host.failed(error, failures), undefined, { signal }).catch(() => undefined);
  }
}

/** Resolves when the bind has ended: to the reason. */
async function bindOnce(host: Host, established: () => void): Promise<EdgeConnectionError | null> {
  const { service, url, signal } = host;
  const routers = await host.current();
  const opened = await routers.services.open(service, 'Bind');
  const channel = await routers.pool.channel(url);
  signal.throwIfAborted();
  const bind = host.bind(channel, opened);
  const close = () => bind.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    await withDeadline({ signal, timeout: establishTimeout, target: url }, () => bind.established);
    established();
    host.established(bind);
    return await bind.ended;
  } catch (error) {
    // The session may be gone, for which a router has no other words.
    if (isEdgeConnectionError(error, 'REFUSED')) await routers.services.renew(service, 'Bind', opened);
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    bind.close();
  }
}
