import type { Frame } from '@edge-controller/shared-types/channel';
import {
  controlHeaders,
  controlTypes,
  edgeHeaders,
  edgeTypes,
  headerValue,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { RefusedToken } from '../sessions/session-keys.ts';
import type { EdgeChannel } from './edge-channel.ts';
import { connectionHeader } from './edge-channel.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { EdgeParts } from './edge-parts.ts';
import { EdgeStream } from './edge-stream.ts';
import { passedHeaders } from './passed-headers.ts';

const decoder = new TextDecoder();
const noAnswer = 'the controller did not answer in time';
/** A connection that an application dials. */
export class DialedConnection implements EdgeConnection {
  readonly #parts: EdgeParts;
  readonly #channel: EdgeChannel;
  readonly #id: number;
  readonly #request: Frame;
  #stream: EdgeStream | null = null;
  #isOver = false;
  #unwatch: () => void = () => undefined;

  constructor(parts: EdgeParts, channel: EdgeChannel, id: number, request: Frame) {
    this.#parts = parts;
    this.#channel = channel;
    this.#id = id;
    this.#request = request;
  }

  async open(): Promise<void> {
    const { keys, sessions, control, timings } = this.#parts;
    const token = decoder.decode(this.#request.body);
    try {
      const { sessionId } = await keys.verify(token, this.#channel.apiSessionId);
      if (this.#isOver) return;
      this.#unwatch = sessions.watch(sessionId, { isDial: true, onRemoved: () => this.#close('session closed') });
      control.request(this.#createCircuit(token), timings.createCircuit, (reply) => this.#answered(reply));
    } catch (error) {
      if (!(error instanceof RefusedToken)) throw error;
      this.#refuse(error.message);
    }
  }

  data(flags: number | undefined, body: Uint8Array): void {
    this.#stream?.data(flags, body);
  }

  closed(): void {
    this.#isOver = true;
    this.#unwatch();
    this.#channel.remove(this.#id);
    this.#stream?.closed();
  }

  #close(reason: string): void {
    if (this.#stream) this.#stream.close(reason);
    else this.#refuse(reason);
  }

  #refuse(reason: string): void {
    if (this.#isOver) return;
    this.#channel.refuse(this.#request, reason);
    this.closed();
  }

  #createCircuit(token: string) {
    const { headers } = this.#request;
    const { text, texts, bytesByNumber } = headerValue;
    const instanceId = headers.get(edgeHeaders.terminatorIdentity);
    const all = new Map<number, Uint8Array>([
      [controlHeaders.sessionToken, text(token)],
      [controlHeaders.apiSessionToken, text(this.#channel.token)],
      [controlHeaders.fingerprints, texts(this.#channel.fingerprints)],
      [controlHeaders.peerData, bytesByNumber(this.#peerData())],
      [controlHeaders.instanceId, instanceId ?? text('')],
    ]);
    return { type: controlTypes.createCircuit, headers: all };
  }

  #peerData(): ReadonlyMap<number, Uint8Array> {
    const { headers } = this.#request;
    const found = passedHeaders(headers);
    const stickiness = headers.get(edgeHeaders.stickinessToken);
    if (stickiness) found.set(edgeHeaders.dialerStickinessToken, stickiness);
    return found;
  }

  #answered(reply: Frame | null): void {
    if (reply?.type !== controlTypes.createCircuitResponse) {
      this.#refuse(reply ? decoder.decode(reply.body) : noAnswer);
      return;
    }
    const { text, bytesByNumber } = readHeader;
    const circuitId = text(reply.headers.get(controlHeaders.circuitId)) ?? '';
    const address = text(reply.headers.get(controlHeaders.address)) ?? '';
    const peerData = bytesByNumber(reply.headers.get(controlHeaders.peerData));
    const stream = new EdgeStream(this.#channel, this.#id, () => this.#unwatch());
    const { circuits } = this.#parts;
    const end = circuits.createEnd({ circuitId, address, isIngress: true, application: stream });
    if (!end) {
      this.#refuse(`there is no circuit ${circuitId} in this router`);
      return;
    }
    stream.circuit = end;
    if (this.#isOver) {
      end.close();
      return;
    }
    this.#stream = stream;
    this.#channel.reply(this.#request, {
      type: edgeTypes.stateConnected,
      headers: this.#connected(circuitId, peerData),
    });
    circuits.deliverWaiting(circuitId, end);
  }

  /** A real router passes on all of the peer data, also what the application has no use for. */
  #connected(circuitId: string, peerData: ReadonlyMap<number, Uint8Array>): ReadonlyMap<number, Uint8Array> {
    const all = new Map([...peerData, ...connectionHeader(this.#id)]);
    const stickiness = all.get(edgeHeaders.dialerStickinessToken);
    if (stickiness) all.set(edgeHeaders.stickinessToken, stickiness);
    all.delete(edgeHeaders.dialerStickinessToken);
    return all.set(edgeHeaders.circuitId, headerValue.text(circuitId));
  }
}
