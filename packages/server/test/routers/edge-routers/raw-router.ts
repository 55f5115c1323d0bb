import { once } from 'node:events';
import { connect } from 'node:tls';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RouterIdentity } from '@edge-controller/router-double';
import { enrollRouter } from '@edge-controller/router-double';
import { ClientHelloSchema, encode } from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { FramePeer } from '../router-double/frame-peer.ts';

type Controller = Pick<TestController, 'admin' | 'routersAddress'>;
type Header = readonly [number, Uint8Array];
type RouterBody = Parameters<TestController['admin']['management']['edgeRouters']['create']>[0];

export interface RawMessage {
  readonly headers?: readonly Header[];
  readonly body?: Uint8Array;
}

interface HelloChanges {
  readonly id?: string;
  readonly headers?: readonly Header[];
  readonly sequence?: number;
}

const none = new Uint8Array();
const versionInfo = 'v1.7.2|revision|2026-01-01|linux|amd64';
let names = 0;

/** Creates an edge router and enrolls it. */
export async function enrolledRouter({ admin }: Controller, body: Partial<RouterBody> = {}): Promise<RouterIdentity> {
  names += 1;
  const { edgeRouters } = admin.management;
  const { id } = await edgeRouters.create({ name: `raw router ${names} ${performance.now()}`, ...body });
  const { enrollmentJwt } = await edgeRouters.get(id);
  return enrollRouter({ jwt: enrollmentJwt ?? '' });
}

/** Connects to where routers connect, and says nothing. `null`: without a certificate. */
export async function connectRouter(
  { routersAddress }: Pick<TestController, 'routersAddress'>,
  client: Pick<RouterIdentity, 'key' | 'cert'> | null,
): Promise<FramePeer> {
  const [, host = '', port] = routersAddress.split(':');
  const keys = client ? { key: client.key, cert: client.cert } : {};
  const socket = connect({
    host,
    port: Number(port),
    ...keys,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl'],
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return new FramePeer(socket);
}

/** The first frame of a router. */
export function helloFrame({ id }: Pick<RouterIdentity, 'id'>, changes: HelloChanges = {}): Frame {
  const headers = new Map<number, Uint8Array>([[controlHeaders.versionInfo, headerValue.text(versionInfo)]]);
  for (const [key, value] of changes.headers ?? []) headers.set(key, value);
  const { sequence = -1 } = changes;
  return { type: controlTypes.hello, sequence, headers, body: headerValue.text(changes.id ?? id) };
}

/** A router that says what a test wants it to say, and nothing else. */
export class RawRouter {
  readonly identity: RouterIdentity;
  readonly peer: FramePeer;
  /** The answer to the hello. */
  readonly welcome: Frame;
  #sequence = 0;

  private constructor(identity: RouterIdentity, peer: FramePeer, welcome: Frame) {
    this.identity = identity;
    this.peer = peer;
    this.welcome = welcome;
    peer.onFrame = ({ type, headers }) => {
      const beat = headers.get(controlHeaders.heartbeat);
      if (beat) this.send(controlTypes.heartbeat, { headers: [[controlHeaders.heartbeatResponse, beat]] });
      return type === controlTypes.heartbeat;
    };
  }

  /** Rejects when the controller refuses the hello. */
  static async open(
    controller: Pick<Controller, 'routersAddress'>,
    identity: RouterIdentity,
    changes?: HelloChanges,
  ): Promise<RawRouter> {
    const peer = await connectRouter(controller, identity);
    peer.send(helloFrame(identity, changes));
    return new RawRouter(identity, peer, await peer.ofType(controlTypes.result));
  }

  static async enroll(controller: Controller, body?: Partial<RouterBody>): Promise<RawRouter> {
    return RawRouter.open(controller, await enrolledRouter(controller, body));
  }

  get id(): string {
    return this.identity.id;
  }

  /** Returns the sequence of the frame. */
  send(type: number, { headers = [], body = none }: RawMessage = {}): number {
    this.#sequence += 1;
    this.peer.send({ type, sequence: this.#sequence, headers: new Map(headers), body });
    return this.#sequence;
  }

  /** Resolves to the reply. */
  ask(type: number, message?: RawMessage): Promise<Frame> {
    const sequence = this.send(type, message);
    const isReply = ({ headers }: Frame) => readHeader.i32(headers.get(controlHeaders.replyFor)) === sequence;
    return this.peer.take(`the reply to ${type}`, isReply);
  }

  reply(to: Frame, type: number, { headers = [], ...message }: RawMessage = {}): void {
    this.send(type, { ...message, headers: [[controlHeaders.replyFor, headerValue.i32(to.sequence)], ...headers] });
  }

  /** Says where applications reach it. */
  sayClientHello(serverHello: Frame, hello: MessageInitShape<typeof ClientHelloSchema> = {}): void {
    this.reply(serverHello, controlTypes.clientHello, { body: encode(ClientHelloSchema, hello) });
  }

  /** Resolves when the controller has read everything that was sent. */
  async settled(): Promise<void> {
    await this.ask(controlTypes.ping);
  }

  close(): void {
    this.peer.close();
  }
}
