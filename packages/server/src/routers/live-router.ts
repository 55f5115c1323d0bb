import type { Frame } from '@edge-controller/shared-types/channel';
import type { ConnectedRouter } from '../network/router-connections/connected-router.ts';
import type { StoredServiceSession } from '../storage/session-store/service-sessions.ts';
import type { Message } from './channel/message.ts';
import type { RouterChannel } from './channel/router-channel.ts';
import type { Hello } from './hello.ts';

/** Milliseconds by which the clocks of two controllers may differ. */
const clockTolerance = 1_000;

/** A router on its channel, after a hello that was accepted. */
export class LiveRouter {
  readonly id: string;
  readonly hello: Hello;
  /** SHA-1 of the certificate that counts, in lower-case hex. */
  fingerprint: string;
  readonly channel: RouterChannel;
  readonly #connectedAt: number;
  /** The identities whose applications are connected to it. */
  identities: ReadonlySet<string> = new Set();
  #shown: ConnectedRouter;
  /** Sessions of services that it had when it connected. */
  readonly #takenOver = new Map<string, StoredServiceSession>();
  /** Those of API sessions with smaller ids. */
  #takenOverBefore = '';

  constructor({ hello, fingerprint, channel, shown, connectedAt }: LiveRouterParts) {
    this.id = hello.routerId;
    this.hello = hello;
    this.fingerprint = fingerprint;
    this.channel = channel;
    this.#shown = shown;
    this.#connectedAt = connectedAt;
  }

  /** What administrators and the other controllers see of it. */
  get shown(): ConnectedRouter {
    return this.#shown;
  }

  show(change: Partial<ConnectedRouter>): ConnectedRouter {
    this.#shown = { ...this.#shown, ...change };
    return this.#shown;
  }

  /**
   * Remembers the sessions of services that began before the router connected to this controller: they may have circuits of a
   * controller that is gone. For routers of version 2, that includes sessions of this controller.
   */
  takeOver(sessions: readonly StoredServiceSession[]): void {
    const before = this.#connectedAt + clockTolerance;
    for (const session of sessions) if (session.createdAt < before) this.#takenOver.set(session.id, session);
  }

  get takenOver(): Iterable<StoredServiceSession> {
    return this.#takenOver.values();
  }

  /** The same for the sessions of all API sessions that began before this one. */
  takeOverBefore(apiSessionId: string): void {
    this.#takenOverBefore = apiSessionId;
  }

  /** Those of the sessions that may have circuits of a controller that is gone. */
  takenOverOf(sessionIds: readonly string[]): readonly string[] {
    return sessionIds.filter((id) => this.#takenOver.delete(id) || id < this.#takenOverBefore);
  }

  send(message: Message): boolean {
    return this.channel.send(message);
  }

  reply(to: Frame, message: Message): boolean {
    return this.channel.reply(to, message);
  }
}

interface LiveRouterParts {
  readonly hello: Hello;
  readonly fingerprint: string;
  readonly channel: RouterChannel;
  readonly shown: ConnectedRouter;
  /** Milliseconds since 1970. */
  readonly connectedAt: number;
}
