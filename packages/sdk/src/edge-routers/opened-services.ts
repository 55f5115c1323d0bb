import type { CallOptions } from '../api/call-options.ts';
import type { ServiceDetail, SessionCreate, SessionDetail, SessionEdgeRouter } from '../api/generated/entities.ts';
import { jwtExpiry } from '../external-jwt/jwt-expiry.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { routerUrl } from './open-channel.ts';
import type { RouterParts } from './router-parts.ts';

export type SessionType = 'Dial' | 'Bind';

/** A service with the session that gives the right to dial or to bind it. */
export interface OpenedService {
  readonly id: string;
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly sessionId: string;
  /** The JWT for edge routers. */
  readonly token: string;
  /** The addresses of the edge routers that are online. */
  readonly urls: readonly string[];
}

/** What a controller says of a session. */
interface CreatedSession extends Pick<SessionDetail, 'id' | 'token'> {
  readonly edgeRouters: readonly Pick<SessionEdgeRouter, 'supportedProtocols'>[];
}

interface OpenedParts extends Pick<RouterParts, 'clock' | 'timeout'> {
  findService(
    nameOrId: string,
    options: CallOptions,
  ): Promise<Pick<ServiceDetail, 'id' | 'name' | 'encryptionRequired'> | undefined>;
  readonly edge: {
    readonly sessions: { create(session: SessionCreate, options: CallOptions): Promise<CreatedSession> };
  };
}

interface Opening {
  readonly promise: Promise<OpenedService>;
  opened?: OpenedService;
}

/** The services that an API session uses. Each is opened once, and used until an edge router refuses its session. */
export class OpenedServices {
  readonly #parts: OpenedParts;
  readonly #openings = new Map<string, Opening>();

  constructor(parts: OpenedParts) {
    this.#parts = parts;
  }

  /** @throws EdgeConnectionError `SERVICE_NOT_FOUND`; EdgeApiError, EdgeNetworkError and the like */
  open(service: string, type: SessionType): Promise<OpenedService> {
    return (this.#openings.get(keyOf(service, type)) ?? this.#start(service, type)).promise;
  }

  /** Whether it is open already, so that its session or its routers may be gone. */
  isOpen(service: string, type: SessionType): boolean {
    return this.#openings.get(keyOf(service, type))?.opened !== undefined;
  }

  /**
   * Opens it again, unless somebody has done so already: its session may be gone, and its routers may be others.
   *
   * @param before What did not work.
   */
  async renew(service: string, type: SessionType, before: OpenedService): Promise<OpenedService> {
    const known = this.#openings.get(keyOf(service, type));
    if (known && known.opened !== before) return known.promise;
    return this.#start(service, type, before).promise;
  }

  #start(service: string, type: SessionType, before?: OpenedService): Opening {
    const key = keyOf(service, type);
    const opening: Opening = { promise: this.#open(service, type, before) };
    this.#openings.set(key, opening);
    opening.promise.then(
      (opened) => {
        opening.opened = opened;
      },
      () => {
        if (this.#openings.get(key) === opening) this.#openings.delete(key);
      },
    );
    return opening;
  }

  async #open(service: string, type: SessionType, before: OpenedService | undefined): Promise<OpenedService> {
    // Several calls may wait for it, so the signal of none of them ends it.
    const options: CallOptions = { timeout: this.#parts.timeout };
    const found = await this.#parts.findService(service, options);
    if (!found) throw new EdgeConnectionError('SERVICE_NOT_FOUND', { reason: service });
    const session = await this.#parts.edge.sessions.create({ serviceId: found.id, type }, options);
    const urls = urlsOf(session);
    const { id, name, encryptionRequired: isEncrypted } = found;
    // Some controllers do not know the second token of a session, so the first one is kept while it is valid.
    const isKept = before?.sessionId === session.id && jwtExpiry(before.token) > this.#parts.clock();
    return { id, name, isEncrypted, sessionId: session.id, token: isKept ? before.token : session.token, urls };
  }
}

function keyOf(service: string, type: SessionType): string {
  return `${type} ${service}`;
}

function urlsOf({ edgeRouters }: CreatedSession): string[] {
  return [...new Set(edgeRouters.flatMap(({ supportedProtocols }) => routerUrl(supportedProtocols) ?? []))];
}
