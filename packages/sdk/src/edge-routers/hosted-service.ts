import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEdgeApiError, isEdgeAuthQueryError } from '../errors/error-guards.ts';
import { isTemporary } from '../services/is-temporary.ts';
import { AcceptQueue } from './accept-queue.ts';
import type { Proving } from './authentication/authenticate.ts';
import { authenticate } from './authentication/authenticate.ts';
import { canProve, checkAuthentication, checkEncryption } from './authentication/authentication-options.ts';
import type { BindOptions, Hosting } from './bind-options.ts';
import { checkHosting } from './bind-options.ts';
import { EdgeConnectionError, isEdgeConnectionError } from './connection-error.ts';
import type { EdgeConnection } from './edge-connection.ts';
import { hostOnRouter } from './host-on-router.ts';
import type { OpenedService } from './opened-services.ts';
import type { RoutedConnection } from './routed-connection.ts';
import { RouterBind } from './router-bind.ts';
import type { ServiceBinding } from './service-binding.ts';
import type { SessionRouters } from './session-routers.ts';

export interface BindingParts {
  readonly service: string;
  readonly options: BindOptions;
  readonly client: Proving['client'];
  /** The routers of the current API session. */
  readonly current: () => Promise<SessionRouters>;
}

/** Milliseconds between two checks for other routers. */
const refreshInterval = 5 * 60_000;
/** The longest pauses in milliseconds: while the service is bound nowhere, and while it is bound on another router. */
const [longestPause, longestPauseElsewhere] = [5_000, 60_000];
const firstPause = 250;

/** Keeps a service bound on all its edge routers. */
export class HostedService implements ServiceBinding {
  readonly service: string;
  readonly ended: Promise<void>;
  readonly #parts: BindingParts;
  readonly #queue: AcceptQueue;
  /** The wanted routers, by their address. */
  readonly #wanted = new Map<string, AbortController>();
  readonly #binds = new Map<string, RouterBind>();
  readonly #first = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<void>();
  readonly #running = new AbortController();
  #hosting: Hosting;
  /** Connections whose other end has not proven who it is yet. */
  #proving = 0;
  #error: unknown = null;
  #wake = new AbortController();

  constructor(parts: BindingParts) {
    const { cost, precedence, backlog = 128 } = parts.options;
    checkHosting({ cost, precedence });
    checkAuthentication(parts.options, parts.client);
    this.service = parts.service;
    this.ended = this.#over.promise;
    this.#parts = parts;
    this.#hosting = { cost, precedence };
    this.#queue = new AcceptQueue(backlog);
    for (const promise of [this.#first.promise, this.ended]) promise.catch(() => undefined);
  }

  get routers(): readonly string[] {
    return [...this.#binds.keys()];
  }

  get error(): unknown {
    return this.#binds.size > 0 ? null : this.#error;
  }

  update(hosting: Hosting): void {
    checkHosting(hosting);
    this.#hosting = { ...this.#hosting, ...hosting };
    for (const bind of this.#binds.values()) bind.update(hosting);
  }

  async close(): Promise<void> {
    this.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<EdgeConnection, undefined> {
    return {
      next: () => this.#queue.take(),
      return: async () => {
        this.end();
        return { done: true, value: undefined };
      },
    };
  }

  /** Begins. Resolves when the first router has the bind. */
  start(): Promise<void> {
    void this.#keep();
    return this.#first.promise;
  }

  end(error?: unknown): void {
    if (this.#running.signal.aborted) return;
    this.#running.abort();
    for (const wanted of this.#wanted.values()) wanted.abort();
    this.#queue.end(error);
    this.#first.reject(error ?? new EdgeConnectionError('CLOSED'));
    if (error === undefined) this.#over.resolve();
    else this.#over.reject(error);
  }

  /** Looks from time to time which routers the service has. */
  async #keep(): Promise<void> {
    const { signal } = this.#running;
    let failures = 1;
    while (!signal.aborted) {
      await this.#check().catch((error: unknown) => this.#record(error));
      await this.#sleep(pauseAfter(failures));
      failures = this.#binds.size > 0 ? 1 : failures + 1;
      // While it is bound, another look is due much later.
      if (this.#binds.size > 0) await this.#sleep(refreshInterval);
    }
  }

  /** Ends early when it is bound no more. */
  async #sleep(delay: number): Promise<void> {
    this.#wake = new AbortController();
    const signal = AbortSignal.any([this.#running.signal, this.#wake.signal]);
    await sleep(delay, undefined, { signal }).catch(() => undefined);
  }

  async #check(): Promise<void> {
    const { current, service } = this.#parts;
    const { services } = await current();
    const isKnown = services.isOpen(service, 'Bind');
    const opened = await services.open(service, 'Bind');
    const { urls } = isKnown ? await services.renew(service, 'Bind', opened) : opened;
    // It may have ended meanwhile.
    if (this.#running.signal.aborted) return;
    if (urls.length === 0) this.#record(new EdgeConnectionError('NO_ROUTER'));
    for (const url of urls) if (!this.#wanted.has(url)) this.#host(url);
    for (const [url, wanted] of this.#wanted) {
      if (urls.includes(url) || this.#binds.has(url)) continue;
      wanted.abort();
      this.#wanted.delete(url);
    }
  }

  #host(url: string): void {
    const wanted = new AbortController();
    const listenerId = randomUUID();
    this.#wanted.set(url, wanted);
    void hostOnRouter({
      ...{ service: this.service, url, signal: wanted.signal, current: this.#parts.current },
      bind: (channel, opened) => new RouterBind(channel, { ...this.#bindOf(opened), listenerId }),
      established: (bind) => {
        this.#binds.set(url, bind);
        void bind.ended.then(() => this.#unbound(url));
        this.#first.resolve();
      },
      failed: (error, failures) => this.#failed(error, failures),
    });
  }

  #bindOf(opened: OpenedService) {
    const { options, client } = this.#parts;
    const { name, isEncrypted, token } = opened;
    const { identity, allowHalfOpen = true } = options;
    checkEncryption(isEncrypted, options);
    const offersProof = canProve(options, client);
    return {
      ...{ service: name, isEncrypted, offersProof, token, identity, allowHalfOpen, hosting: this.#hosting },
      hasRoom: () => this.#queue.hasRoomBehind(this.#proving),
      accept: (connection: RoutedConnection) => {
        // A peer must not end the process of a host that has no listener yet.
        connection.on('error', () => undefined);
        if (offersProof && isEncrypted) void this.#prove(connection, opened);
        else this.#queue.add(connection);
      },
    };
  }

  /** The application gets only connections whose other end is the right one. */
  async #prove(connection: RoutedConnection, { id }: OpenedService): Promise<void> {
    const { options, client } = this.#parts;
    const { signal } = this.#running;
    this.#proving += 1;
    try {
      const proving = { side: 'hosts', options, serviceId: id, instanceId: options.identity, client } as const;
      await authenticate(connection, { ...proving, signal });
      if (!connection.destroyed) this.#queue.add(connection);
    } catch {
      // The connection has ended.
    } finally {
      this.#proving -= 1;
    }
  }

  #unbound(url: string): void {
    this.#binds.delete(url);
    if (this.#binds.size === 0) this.#wake.abort();
  }

  #failed(error: unknown, failures: number): number {
    this.#record(error);
    // A second refusal is not of a session that was gone.
    if (failures > 1 && isEdgeConnectionError(error, 'REFUSED')) this.#first.reject(error);
    return pauseAfter(failures, this.#binds.size > 0 ? longestPauseElsewhere : longestPause);
  }

  #record(error: unknown): void {
    this.#error = error;
    if (isEdgeAuthQueryError(error, 'NO_SESSION')) this.end(error);
    // Later, an administrator may have taken a right away, and may give it back.
    const isRefused = isEdgeApiError(error) && !isTemporary(error);
    const isHopeless =
      isEdgeConnectionError(error, 'SERVICE_NOT_FOUND') || isEdgeConnectionError(error, 'NOT_AUTHENTICATED');
    if (isRefused || isHopeless) this.#first.reject(error);
  }
}

/** Processes that failed together must not come back together. */
function pauseAfter(failures: number, longest = longestPause): number {
  return Math.min(longest, firstPause * 2 ** Math.min(failures - 1, 10)) * (0.75 + Math.random() / 2);
}
