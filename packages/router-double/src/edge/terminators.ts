import type { CreateTerminatorResponse } from '@edge-controller/router-messages';
import { CreateTerminatorResult } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { randomId } from '../random-id.ts';
import { RefusedToken } from '../sessions/session-keys.ts';
import type { Bind } from './bind.ts';
import { readBind } from './bind.ts';
import type { EdgeChannel } from './edge-channel.ts';
import type { EdgeParts } from './edge-parts.ts';
import { HostedTerminator } from './hosted-terminator.ts';
import { PendingBind } from './pending-bind.ts';
import { TerminatorRemovals } from './terminator-removals.ts';

interface Host {
  readonly connectionId: number;
  readonly bind: Bind;
  readonly sessionId: string;
}

/** The terminators that applications host through this router, by their address. */
export class Terminators {
  readonly #parts: EdgeParts;
  readonly #removals: TerminatorRemovals;
  readonly #byAddress = new Map<string, HostedTerminator>();
  readonly #unwatch = new Map<HostedTerminator, () => void>();
  #validated = new Set<string>();

  constructor(parts: EdgeParts) {
    this.#parts = parts;
    this.#removals = new TerminatorRemovals(parts);
  }

  get addresses(): readonly string[] {
    return [...this.#byAddress.keys()];
  }

  get(address: string): HostedTerminator | undefined {
    return this.#byAddress.get(address);
  }

  /** @throws FrameError */
  bind(channel: EdgeChannel, connectionId: number, request: Frame): void {
    const bind = readBind(request);
    const pending = new PendingBind();
    if (channel.add(connectionId, pending)) void this.#verify(channel, { connectionId, bind, pending });
    else channel.refuse(request, 'the connection id is in use');
  }

  /** What the controller says of one that the router wants to create. */
  created({ terminatorId, result, msg, retryHint }: CreateTerminatorResponse): void {
    const terminator = this.#byAddress.get(terminatorId);
    if (!terminator) return;
    if (result === CreateTerminatorResult.SUCCESS) terminator.established();
    else if (result === CreateTerminatorResult.BUSY) this.#createLater(terminator, this.#parts.timings.retry);
    // Only a hint lets a router of version 2 tell the application.
    else if (this.#parts.isVersion2 && retryHint === 0) this.#createLater(terminator, this.#parts.timings.establish);
    else this.#close(terminator, msg);
  }

  /** Ends it toward the application, and at the controller. */
  drop(terminator: HostedTerminator, reason: string): void {
    this.#removals.add(terminator.address);
    this.#close(terminator, reason);
  }

  /** The controller has asked for it, so it need not be created again after a reconnect. */
  validated(address: string): void {
    this.#validated.add(address);
  }

  /** Creates those again that the controller does not ask for. */
  reconnected(): void {
    this.#validated = new Set();
    this.#parts.timers.after(this.#parts.timings.validate, () => {
      for (const terminator of this.#byAddress.values()) {
        if (!this.#validated.has(terminator.address)) this.#create(terminator);
      }
    });
  }

  clear(): void {
    this.#byAddress.clear();
    for (const unwatch of this.#unwatch.values()) unwatch();
    this.#unwatch.clear();
  }

  async #verify(
    channel: EdgeChannel,
    { connectionId, bind, pending }: { connectionId: number; bind: Bind; pending: PendingBind },
  ): Promise<void> {
    try {
      const { sessionId, type } = await this.#parts.keys.verify(bind.token, channel.apiSessionId);
      if (type !== 'Bind') throw new RefusedToken('the token is not of a session for hosting');
      if (!pending.isClosed) this.#host(channel, { connectionId, bind, sessionId });
    } catch (error) {
      if (!(error instanceof RefusedToken)) throw error;
      if (pending.isClosed) return;
      channel.remove(connectionId);
      channel.refuse(bind.request, error.message);
    }
  }

  #host(channel: EdgeChannel, { connectionId, bind, sessionId }: Host): void {
    const before = this.#hostedWith(bind.listenerId, channel.identityId);
    const address = before?.address ?? randomId(22);
    const onClosed = () => this.#forget(terminator) && this.#removals.add(address);
    const terminator: HostedTerminator = new HostedTerminator({ address, channel, connectionId, bind, onClosed });
    if (before) this.#close(before, 'another listener has taken over');
    this.#byAddress.set(address, terminator);
    channel.remove(connectionId);
    channel.add(connectionId, terminator);
    terminator.answer();
    this.#create(terminator);
    const onRemoved = () => this.drop(terminator, 'session ended');
    this.#unwatch.set(terminator, this.#parts.sessions.watch(sessionId, { isDial: false, onRemoved }));
  }

  #hostedWith(listenerId: string, identityId: string): HostedTerminator | undefined {
    if (listenerId === '') return undefined;
    return [...this.#byAddress.values()].find(
      ({ bind, channel }) => bind.listenerId === listenerId && channel.identityId === identityId,
    );
  }

  #create(terminator: HostedTerminator): void {
    const { control, timings } = this.#parts;
    control.send(terminator.createRequest());
    if (!terminator.isEstablished) this.#createLater(terminator, timings.establish);
  }

  #createLater(terminator: HostedTerminator, delay: number): void {
    this.#parts.timers.after(delay, () => {
      if (this.#byAddress.get(terminator.address) === terminator && !terminator.isEstablished) this.#create(terminator);
    });
  }

  #close(terminator: HostedTerminator, reason: string): void {
    if (this.#forget(terminator)) terminator.channel.sendClosed(terminator.connectionId, reason);
  }

  /** @returns false when it was gone before, or another listener has taken it over */
  #forget(terminator: HostedTerminator): boolean {
    this.#unwatch.get(terminator)?.();
    this.#unwatch.delete(terminator);
    if (this.#byAddress.get(terminator.address) !== terminator) return false;
    return this.#byAddress.delete(terminator.address);
  }
}
