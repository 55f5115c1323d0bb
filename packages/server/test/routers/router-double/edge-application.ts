import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { FramePeer } from './frame-peer.ts';

type Header = [number, Uint8Array];
const none: Uint8Array = new Uint8Array();

/** An application that speaks with a router, frame by frame. */
export class EdgeApplication {
  readonly peer: FramePeer;
  #sequence = 0;
  #connections = 0;

  private constructor(peer: FramePeer) {
    this.peer = peer;
  }

  /** Says hello with the token of an API session. The router accepts that later, or closes the connection. */
  static async open(peer: FramePeer, token: string): Promise<EdgeApplication> {
    const headers = new Map([[edgeHeaders.sessionToken, headerValue.text(token)]]);
    peer.send({ type: edgeTypes.hello, sequence: -1, headers, body: headerValue.text('application') });
    await peer.ofType(edgeTypes.result);
    return new EdgeApplication(peer);
  }

  send(type: number, headers: readonly Header[], body = none): number {
    this.#sequence += 1;
    this.peer.send({ type, sequence: this.#sequence, headers: new Map(headers), body });
    return this.#sequence;
  }

  /** Sends a message with a connection id, and resolves to the reply. */
  ask(type: number, headers: readonly Header[], body: string): { readonly id: number; readonly reply: Promise<Frame> } {
    this.#connections += 1;
    const id = this.#connections;
    const sequence = this.send(type, [connId(id), ...headers], headerValue.text(body));
    const isReply = (frame: Frame) => readHeader.i32(frame.headers.get(edgeHeaders.replyFor)) === sequence;
    return { id, reply: this.peer.take(`the reply to ${type}`, isReply) };
  }

  /** Resolves when the controller has the terminator. Rejects with the reason of a refusal. */
  async host(token: string, headers: readonly Header[] = []): Promise<number> {
    const says = [edgeHeaders.routerProvidedConnId, edgeHeaders.supportsInspect, edgeHeaders.supportsBindSuccess];
    const all = says.map((key): Header => [key, headerValue.boolean(true)]);
    const { id, reply } = this.ask(edgeTypes.bind, [...all, ...headers], token);
    check(await reply);
    const isDone = (frame: Frame) =>
      [edgeTypes.bindSuccess, edgeTypes.stateClosed].some((type) => type === frame.type) && connIdOf(frame) === id;
    check(await this.peer.take('the end of the bind', isDone));
    return id;
  }

  /** Accepts the next one who dials. */
  async accept(): Promise<EdgeStream> {
    const dial = await this.peer.ofType(edgeTypes.dial);
    const given = dial.headers.get(edgeHeaders.routerProvidedConnId) ?? none;
    this.send(edgeTypes.dialSuccess, [replyFor(dial), connId(connIdOf(dial) ?? 0)], given);
    return new EdgeStream(this, readHeader.u32(given) ?? 0, dial);
  }

  async refuse(reason: string): Promise<void> {
    const dial = await this.peer.ofType(edgeTypes.dial);
    this.send(edgeTypes.dialFailed, [replyFor(dial), connId(connIdOf(dial) ?? 0)], headerValue.text(reason));
  }

  /** Rejects with the reason of a refusal. */
  async dial(token: string, headers: readonly Header[] = []): Promise<EdgeStream> {
    const { id, reply } = this.ask(edgeTypes.connect, headers, token);
    return new EdgeStream(this, id, check(await reply));
  }

  /** Answers inspections from now on. `connectionType`: 2 for a live listener. */
  answerInspection(connectionType: number): void {
    this.peer.onFrame = (frame) => {
      if (frame.type !== edgeTypes.connectionInspect) return false;
      const type: Header = [edgeHeaders.connectionType, headerValue.u8(connectionType)];
      this.send(edgeTypes.connectionInspectResponse, [replyFor(frame), connId(0), type]);
      return true;
    };
  }

  close(): void {
    this.peer.close();
  }
}

/** A connection of an application. */
export class EdgeStream {
  readonly id: number;
  /** The `dial` or `stateConnected` that opened it. */
  readonly opened: Frame;
  readonly #application: EdgeApplication;

  constructor(application: EdgeApplication, id: number, opened: Frame) {
    this.#application = application;
    this.id = id;
    this.opened = opened;
  }

  send(text: string | Uint8Array, flags?: number): void {
    const body = typeof text === 'string' ? headerValue.text(text) : text;
    const all: Header[] = flags === undefined ? [] : [[edgeHeaders.flags, headerValue.u32(flags)]];
    this.#application.send(edgeTypes.data, [connId(this.id), ...all], body);
  }

  /** Resolves to the bytes of the next data. */
  async bytes(): Promise<Uint8Array> {
    return (await this.next(edgeTypes.data)).body;
  }

  async text(): Promise<string> {
    return Buffer.from(await this.bytes()).toString();
  }

  /** Resolves to the reason. */
  async closed(): Promise<string> {
    return Buffer.from((await this.next(edgeTypes.stateClosed)).body).toString();
  }

  next(type: number): Promise<Frame> {
    const isNext = (frame: Frame) => frame.type === type && connIdOf(frame) === this.id;
    return this.#application.peer.take(`a frame of type ${type}`, isNext);
  }

  close(): void {
    this.#application.send(edgeTypes.stateClosed, [connId(this.id)]);
  }
}

const connId = (id: number): Header => [edgeHeaders.connId, headerValue.u32(id)];
const replyFor = ({ sequence }: Frame): Header => [edgeHeaders.replyFor, headerValue.i32(sequence)];
const connIdOf = ({ headers }: Frame) => readHeader.u32(headers.get(edgeHeaders.connId));

function check(reply: Frame): Frame {
  if (reply.type === edgeTypes.stateClosed) throw new Error(Buffer.from(reply.body).toString());
  return reply;
}
