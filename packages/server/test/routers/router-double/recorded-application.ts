import { CreateTerminatorRequestSchema, decode } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { FramePeer } from './frame-peer.ts';

const none: Uint8Array = new Uint8Array();

/** An application of a recording. It does by itself what the recording does not show. */
export class RecordedApplication {
  readonly id: string;
  readonly peer: FramePeer;
  token = '';
  #sequence = 1_000;
  #connections = 100;

  constructor(id: string, peer: FramePeer) {
    this.id = id;
    this.peer = peer;
  }

  send(type: number, headers: ReadonlyMap<number, Uint8Array>, body = none): void {
    this.#sequence += 1;
    this.peer.send({ type, headers, body, sequence: this.#sequence });
  }

  hello(token: string): void {
    this.token = token;
    const headers = new Map([[edgeHeaders.sessionToken, headerValue.text(token)]]);
    this.peer.send({ type: edgeTypes.hello, sequence: -1, headers, body: headerValue.text(this.id) });
  }

  /** Dials as the application did whose router sent this to the controller. */
  dial({ headers }: Frame): void {
    const { bytesByNumber } = readHeader;
    this.#connections += 1;
    const own: [number, Uint8Array] = [edgeHeaders.connId, headerValue.u32(this.#connections)];
    const said = new Map([...bytesByNumber(headers.get(controlHeaders.peerData)), own]);
    this.send(edgeTypes.connect, said, headers.get(controlHeaders.sessionToken));
  }

  /** Hosts as the application did whose router sent this to the controller. */
  bind({ body }: Frame): void {
    const { sessionToken, peerData } = decode(CreateTerminatorRequestSchema, body);
    this.#connections += 1;
    const headers = new Map([
      ...Object.entries(peerData).map(([key, value]): [number, Uint8Array] => [Number(key), value]),
      [edgeHeaders.connId, headerValue.u32(this.#connections)],
      [edgeHeaders.routerProvidedConnId, headerValue.boolean(true)],
    ]);
    this.send(edgeTypes.bind, headers, headerValue.text(sessionToken));
  }

  /** Closes what it has dialed last. */
  close(): void {
    this.send(edgeTypes.stateClosed, new Map([[edgeHeaders.connId, headerValue.u32(this.#connections)]]));
  }

  /** Accepts whoever dials, and answers inspections. */
  answerAll(): void {
    this.peer.onFrame = (frame) => this.#answer(frame);
  }

  #answer({ type, headers, sequence }: Frame): boolean {
    const replyFor: [number, Uint8Array] = [edgeHeaders.replyFor, headerValue.i32(sequence)];
    const connId: [number, Uint8Array] = [edgeHeaders.connId, headers.get(edgeHeaders.connId) ?? none];
    if (type === edgeTypes.dial) {
      const given = headers.get(edgeHeaders.routerProvidedConnId) ?? none;
      this.send(edgeTypes.dialSuccess, new Map([replyFor, connId]), given);
    } else if (type === edgeTypes.connectionInspect) {
      const isListener: [number, Uint8Array] = [edgeHeaders.connectionType, headerValue.u8(2)];
      this.send(edgeTypes.connectionInspectResponse, new Map([replyFor, connId, isListener]));
    } else return type === edgeTypes.stateClosed;
    return true;
  }
}
