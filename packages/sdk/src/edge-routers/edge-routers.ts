import { authQueryError } from '../errors/auth-query-error.ts';
import { withDeadline } from '../errors/deadline.ts';
import { isEdgeTimeoutError } from '../errors/error-guards.ts';
import { checkNames } from '../lib/check-names.ts';
import { authenticate } from './authentication/authenticate.ts';
import { canProve, checkDialAuthentication, checkEncryption } from './authentication/authentication-options.ts';
import type { BindOptions } from './bind-options.ts';
import { EdgeConnectionError, isEdgeConnectionError } from './connection-error.ts';
import { dialOn } from './dial-on-channel.ts';
import type { DialOptions } from './dial-options.ts';
import type { EdgeConnection } from './edge-connection.ts';
import { HostedService } from './hosted-service.ts';
import type { OpenedService } from './opened-services.ts';
import type { RouterParts } from './router-parts.ts';
import type { ServiceBinding } from './service-binding.ts';
import { SessionRouters } from './session-routers.ts';

const sharedOptionNames = ['signal', 'timeout', 'identity', 'allowHalfOpen', 'authenticate', 'peer', 'peerCa'];
const dialOptionNames = [...sharedOptionNames, 'appData'];
const bindOptionNames = [...sharedOptionNames, 'cost', 'precedence', 'backlog'];

/** What may not happen again at once. */
const mayPass = ['ROUTER_LOST', 'UNAUTHORIZED', 'SESSION_ENDED'] as const;

/** Connections of one client through edge routers. */
export class EdgeRouters {
  readonly #parts: RouterParts;
  readonly #bindings = new Set<HostedService>();
  #current: SessionRouters | undefined;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    for (const event of ['stateChange', 'session'] as const) parts.edge.on(event, () => this.#checkSession());
  }

  /** See `NodeEdgeClient`. */
  async dial(service: string, options: DialOptions = {}): Promise<EdgeConnection> {
    checkNames(options, dialOptionNames, 'option');
    checkDialAuthentication(options, this.#parts);
    const { signal, timeout = this.#parts.timeout } = options;
    return withDeadline({ signal, timeout, target: `dial(${service})` }, (ended) =>
      this.#dial(service, options, ended),
    );
  }

  /** See `NodeEdgeClient`. */
  async bind(service: string, options: BindOptions = {}): Promise<ServiceBinding> {
    checkNames(options, bindOptionNames, 'option');
    const { signal, timeout = this.#parts.timeout } = options;
    const client = this.#parts;
    const binding = new HostedService({ service, options, client, current: () => this.#routers() });
    const abort = () => binding.end(signal?.reason);
    const forget = () => {
      this.#bindings.delete(binding);
      signal?.removeEventListener('abort', abort);
    };
    this.#bindings.add(binding);
    binding.ended.then(forget, forget);
    try {
      await withDeadline({ signal, timeout, target: `bind(${service})` }, () => binding.start());
    } catch (error) {
      if (isEdgeTimeoutError(error) && binding.error !== null) Object.assign(error, { cause: binding.error });
      binding.end(error);
      throw error;
    }
    signal?.addEventListener('abort', abort);
    return binding;
  }

  /** Ends all connections, and all binds with the reason. */
  dispose(reason: unknown): void {
    for (const binding of this.#bindings) binding.end(reason);
    this.#end(new EdgeConnectionError('CLOSED', { reason: 'the client was disposed of' }));
  }

  #end(error: EdgeConnectionError): void {
    this.#current?.pool.end(error);
    this.#current = undefined;
  }

  /** The routers of the current API session. Throws `EdgeAuthQueryError` `NO_SESSION` without one. */
  async #routers(): Promise<SessionRouters> {
    const token = await this.#parts.token();
    const { session } = this.#parts.edge;
    this.#checkSession();
    if (!session) throw new EdgeConnectionError('SESSION_ENDED');
    if (this.#current?.token !== token) {
      this.#end(new EdgeConnectionError('SESSION_ENDED'));
      this.#current = new SessionRouters(this.#parts, token, session);
    }
    return this.#current;
  }

  #checkSession(): void {
    const { session, state } = this.#parts.edge;
    if (state === 'signed-out') for (const binding of this.#bindings) binding.end();
    if (state === 'expired') for (const binding of this.#bindings) binding.end(authQueryError('NO_SESSION'));
    if (this.#current && this.#current.session.id !== session?.id) this.#end(new EdgeConnectionError('SESSION_ENDED'));
  }

  async #dial(service: string, options: DialOptions, signal: AbortSignal): Promise<EdgeConnection> {
    const routers = await this.#routers();
    const isUsed = routers.services.isOpen(service, 'Dial');
    const opened = await routers.services.open(service, 'Dial');
    try {
      return await this.#dialThrough(routers, opened, options, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isEdgeConnectionError(error, 'REFUSED') || isEdgeConnectionError(error, 'NO_ROUTER')) {
        if (!isUsed) throw error;
        const renewed = await routers.services.renew(service, 'Dial', opened);
        if (isSame(renewed, opened)) throw error;
        return this.#dialThrough(routers, renewed, options, signal);
      }
      if (!mayPass.some((code) => isEdgeConnectionError(error, code))) throw error;
    }
    // Another router, another certificate, or another session.
    const again = await this.#routers();
    return this.#dialThrough(again, await again.services.open(service, 'Dial'), options, signal);
  }

  async #dialThrough(
    routers: SessionRouters,
    { id, name, isEncrypted, token, urls }: OpenedService,
    options: DialOptions,
    signal: AbortSignal,
  ): Promise<EdgeConnection> {
    const { identity, appData, allowHalfOpen = true } = options;
    checkEncryption(isEncrypted, options);
    const offersProof = canProve(options, this.#parts);
    const channel = await routers.pool.nearest(urls);
    const connection = await dialOn(channel, {
      ...{ service: name, isEncrypted, offersProof, token, callerId: routers.session.identity.name },
      ...{ identity, allowHalfOpen, signal },
      appData: typeof appData === 'string' ? new TextEncoder().encode(appData) : appData,
    });
    if (offersProof && isEncrypted) {
      const proving = { side: 'dials', options, serviceId: id, instanceId: identity, client: this.#parts } as const;
      await authenticate(connection, { ...proving, signal });
    }
    return connection;
  }
}

function isSame(one: OpenedService, other: OpenedService): boolean {
  return one.token === other.token && one.urls.join() === other.urls.join();
}
