import { CreateTerminatorRequestSchema, encode, UpdateTerminatorRequestSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes, edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { Message } from '../channel/messages.ts';
import type { Bind } from './bind.ts';
import type { EdgeChannel } from './edge-channel.ts';
import { connectionHeader } from './edge-channel.ts';
import type { EdgeConnection } from './edge-connection.ts';

interface HostedTerminatorOptions {
  /** Also its id. */
  readonly address: string;
  readonly channel: EdgeChannel;
  readonly connectionId: number;
  readonly bind: Bind;
  /** The application does not want it any more. */
  readonly onClosed: () => void;
}

/** A terminator that an application hosts through this router. */
export class HostedTerminator implements EdgeConnection {
  readonly address: string;
  readonly channel: EdgeChannel;
  readonly connectionId: number;
  readonly bind: Bind;
  readonly #onClosed: () => void;
  #cost: number;
  #precedence: number;
  #isEstablished = false;

  constructor({ address, channel, connectionId, bind, onClosed }: HostedTerminatorOptions) {
    this.address = address;
    this.channel = channel;
    this.connectionId = connectionId;
    this.bind = bind;
    this.#onClosed = onClosed;
    this.#cost = bind.cost;
    this.#precedence = bind.precedence;
  }

  /** Whether the controller has it. */
  get isEstablished(): boolean {
    return this.#isEstablished;
  }

  /** A listener takes no data. */
  data(): void {}

  closed(): void {
    this.#onClosed();
  }

  /** Answers the application before the controller has agreed, as a real router does. */
  answer(): void {
    const { request, givesIds } = this.bind;
    const headers = connectionHeader(this.connectionId);
    if (givesIds) headers.set(edgeHeaders.routerProvidedConnId, headerValue.boolean(true));
    this.channel.reply(request, { type: edgeTypes.stateConnected, headers });
  }

  established(): void {
    const isFirst = !this.#isEstablished;
    this.#isEstablished = true;
    if (!isFirst || !this.bind.wantsSuccess) return;
    this.channel.send({ type: edgeTypes.bindSuccess, headers: connectionHeader(this.connectionId) });
  }

  createRequest(): Message {
    const { token, publicKey, instanceId, instanceSecret = new Uint8Array() } = this.bind;
    const body = encode(CreateTerminatorRequestSchema, {
      ...{ address: this.address, sessionToken: token, instanceId, instanceSecret },
      ...{ cost: this.#cost, precedence: this.#precedence, apiSessionToken: this.channel.token },
      fingerprints: [...this.channel.fingerprints],
      peerData: publicKey ? { [edgeHeaders.publicKey]: publicKey } : {},
    });
    return { type: controlTypes.createTerminator, body };
  }

  /** Takes what the application has changed, and makes the message for the controller. */
  updateRequest({ headers, body: token }: Frame): Message {
    const cost = readHeader.u16(headers.get(edgeHeaders.cost));
    const precedence = readHeader.u8(headers.get(edgeHeaders.precedence));
    this.#cost = cost ?? this.#cost;
    this.#precedence = precedence ?? this.#precedence;
    const body = encode(UpdateTerminatorRequestSchema, {
      ...{ sessionToken: readHeader.text(token) ?? '', terminatorId: this.address, cost: cost ?? 0 },
      ...{ precedence: precedence ?? 0, updatePrecedence: precedence !== undefined, updateCost: cost !== undefined },
      ...{ fingerprints: [...this.channel.fingerprints], apiSessionToken: this.channel.token },
    });
    return { type: controlTypes.updateTerminator, body };
  }
}
