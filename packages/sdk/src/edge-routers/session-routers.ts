import { createSecureContext } from 'node:tls';
import type { CallOptions } from '../api/call-options.ts';
import type { Session } from '../api/session.ts';
import { isEdgeApiError, isEdgeAuthQueryError } from '../errors/error-guards.ts';
import { ClientCertificates } from './client-certificates.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { openChannel } from './open-channel.ts';
import { OpenedServices } from './opened-services.ts';
import type { ChannelLoss, RouterChannel } from './router-channel.ts';
import type { Credentials, RouterParts } from './router-parts.ts';
import { RouterPool } from './router-pool.ts';

/** Milliseconds. An error does not wait longer for the controller to say whether the session has ended. */
const askTimeout = 1_000;
/** Milliseconds for the certificates of a channel. */
const certificateTimeout = 10_000;

/** What one API session has of edge routers: its channels, and the sessions of the services that it uses. */
export class SessionRouters {
  readonly token: string;
  readonly session: Session;
  readonly services: OpenedServices;
  readonly pool = new RouterPool((url) => this.#connect(url));
  readonly #parts: RouterParts;
  readonly #certificates: ClientCertificates;

  constructor(parts: RouterParts, token: string, session: Session) {
    this.#parts = parts;
    this.token = token;
    this.session = session;
    this.services = new OpenedServices(parts);
    this.#certificates = new ClientCertificates(parts, session.identity.id);
  }

  async #connect(url: string): Promise<RouterChannel> {
    const options: CallOptions = { timeout: certificateTimeout };
    const [credentials, ca] = await Promise.all([
      this.#certificates.current(options),
      this.#parts.authorities(options),
    ]);
    const { key, cert } = credentials;
    const secureContext = createSecureContext({ key, cert, ca: [ca].flat() });
    const explain = (loss: ChannelLoss) => this.#explain(loss, credentials);
    return openChannel({ url, secureContext, token: this.token, identityId: this.session.identity.id, explain });
  }

  /** A router says nothing when it closes a channel because the API session was removed. */
  async #explain({ isUnauthorized, cause }: ChannelLoss, credentials: Credentials): Promise<EdgeConnectionError> {
    if (await this.#hasEnded()) return new EdgeConnectionError('SESSION_ENDED');
    if (!isUnauthorized) return new EdgeConnectionError('ROUTER_LOST', { cause });
    this.#certificates.refuse(credentials);
    return new EdgeConnectionError('UNAUTHORIZED', { cause });
  }

  async #hasEnded(): Promise<boolean> {
    const { edge } = this.#parts;
    try {
      await edge.client.currentApiSession.get({ touch: 'false' }, { timeout: askTimeout });
    } catch (error) {
      if (isEdgeApiError(error, 'UNAUTHORIZED') || isEdgeAuthQueryError(error, 'NO_SESSION')) return true;
    }
    return edge.session?.id !== this.session.id;
  }
}
