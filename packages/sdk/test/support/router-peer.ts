import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createServer } from 'node:tls';
import type { Frame } from '@edge-controller/shared-types/channel';
import {
  edgeHeaders,
  edgeTypes,
  FrameReader,
  frameHead,
  headerValue,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { onTestFinished, vi } from 'vitest';
import type { Authority, Issued } from './openssl.ts';

/** It takes OpenSSL a while. */
const issued = new WeakMap<Authority, Issued>();

type Headers = readonly (readonly [number, Uint8Array])[];

/** The other end of a channel, which does only what a test says, and answers the hello. */
export class RouterPeer {
  readonly socket: TLSSocket;
  /** What has come, without the hello and the probes. */
  readonly frames: Frame[] = [];
  readonly probes: Frame[] = [];
  hello: Frame | undefined;
  #sequence = 0;
  readonly #reader = new FrameReader({ headers: 100_000, body: 1_000_000 });

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const frame of this.#reader.push(chunk)) this.#take(frame);
    });
  }

  send(type: number, headers: Headers, body: string | Uint8Array = ''): void {
    this.#sequence += 1;
    this.#write({ type, sequence: this.#sequence, headers: new Map(headers), body: Buffer.from(body) });
  }

  reply(to: Frame, type: number, headers: Headers = [], body: string | Uint8Array = ''): void {
    this.send(type, [[edgeHeaders.replyFor, headerValue.i32(to.sequence)], ...headers], body);
  }

  /** Data for one connection. */
  data(id: number, body: string | Uint8Array, flags = 0): void {
    this.send(edgeTypes.data, [ofConnection(id), [edgeHeaders.flags, headerValue.u32(flags)]], body);
  }

  /** The next frame of a type, and those before it are forgotten. */
  async next(type: number): Promise<Frame> {
    return vi.waitFor(() => {
      const at = this.frames.findIndex((frame) => frame.type === type);
      const [found] = at < 0 ? [] : this.frames.splice(0, at + 1).slice(-1);
      if (!found) throw new Error(`no frame of type ${type} among ${this.frames.map((frame) => frame.type)}`);
      return found;
    });
  }

  #take(frame: Frame): void {
    const { type, sequence } = frame;
    if (type === edgeTypes.hello) {
      this.hello = frame;
      const headers = [edgeHeaders.isSuccess, headerValue.boolean(true)] as const;
      this.#write({
        ...{ type: edgeTypes.result, sequence, body: new Uint8Array() },
        headers: new Map([headers, [edgeHeaders.replyFor, headerValue.i32(sequence)]]),
      });
    } else if (type === edgeTypes.latency) this.probes.push(frame);
    else this.frames.push(frame);
  }

  #write(frame: Frame): void {
    this.socket.write(Buffer.concat([frameHead(frame), frame.body]));
  }
}

export const ofConnection = (id: number) => [edgeHeaders.connId, headerValue.u32(id)] as const;

export const idOf = ({ headers }: Frame) => readHeader.u32(headers.get(edgeHeaders.connId)) ?? 0;

/** Listens as a router does. `next`: the peer of the next channel. */
export async function routerPeers(authority: Authority) {
  const waiting: RouterPeer[] = [];
  const server = createServer({
    ...routerCertificate(authority),
    ...{ ca: authority.ca, requestCert: true, ALPNProtocols: ['ziti-edge'] },
  });
  server.on('secureConnection', (socket) => waiting.push(new RouterPeer(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const all: RouterPeer[] = [];
  onTestFinished(() => {
    for (const { socket } of all) socket.destroy();
    server.close();
  });
  return {
    url: `tls://localhost:${(server.address() as AddressInfo).port}`,
    async next(): Promise<RouterPeer> {
      const peer = await vi.waitFor(() => {
        const [first] = waiting.splice(0, 1);
        if (!first) throw new Error('nobody has connected');
        return first;
      });
      all.push(peer);
      return peer;
    },
  };
}

/** It is that of an application, too. */
export function routerCertificate(authority: Authority): Issued {
  const certificate = issued.get(authority) ?? authority.issue({ subject: 'sensor', names: 'DNS:localhost' });
  issued.set(authority, certificate);
  return certificate;
}
