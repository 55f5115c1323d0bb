import { X509Certificate } from 'node:crypto';
import type { Server, TLSSocket } from 'node:tls';
import { createServer } from 'node:tls';
import type { ApiSession } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import {
  edgeHeaders,
  edgeTypes,
  FrameError,
  headerValue,
  helloLimits,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { Channel } from '../channel/channel.ts';
import { frameOf, helloSequence, replyTo } from '../channel/messages.ts';
import { presentedChain } from '../channel/presented-chain.ts';
import { listen } from '../listen.ts';
import { randomId } from '../random-id.ts';
import type { RouterIdentity } from '../router-identity.ts';
import type { ApiSessions } from '../sessions/api-sessions.ts';
import type { Timers } from '../timers.ts';
import { EdgeChannel } from './edge-channel.ts';
import { mayConnect } from './may-connect.ts';

export interface EdgeListenerOptions {
  readonly identity: RouterIdentity;
  readonly host: string;
  readonly port: number;
  readonly versionInfo: string;
  readonly apiSessions: ApiSessions;
  readonly timers: Timers;
  /** Milliseconds for which an application with an unknown token waits. */
  readonly unknownToken: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly tamper: (frame: Frame) => readonly Frame[];
  /** Whether an application with this chain may connect. */
  readonly isTrusted: (chain: readonly X509Certificate[]) => boolean;
  /** A FrameError ends the connection. */
  readonly onFrame: (channel: EdgeChannel, frame: Frame) => void;
  /** An application of this identity has connected, or is gone. */
  readonly onChange: (identityId: string) => void;
  readonly observe: (direction: 'sent' | 'received', frame: Frame) => void;
}

/** Milliseconds. */
const helloTime = 5_000;
const limits = { headers: 65_536, body: 16 * 1_024 * 1_024 };
/** Frames that an application may send before the router has accepted it. */
const maxEarly = 1_000;
/** Headers of the answer to a hello: the router sends `bindSuccess`, and takes posture responses on the channel. */
const [sendsBindSuccess, takesPosture] = [1_024, 1_032] as const;

/** Where applications connect to. */
export class EdgeListener {
  readonly #options: EdgeListenerOptions;
  readonly #server: Server;
  readonly #channels = new Set<EdgeChannel>();
  readonly #sockets = new Set<TLSSocket>();
  #port = 0;

  private constructor(options: EdgeListenerOptions) {
    const { key, serverCert } = options.identity;
    this.#options = options;
    // Without CAs of its own, so that the chain of a client is what it presented.
    const trust = { requestCert: true, rejectUnauthorized: false, ca: [] };
    this.#server = createServer({ key, cert: serverCert, ...trust, ALPNProtocols: ['ziti-edge'] }, (socket) =>
      this.#accept(socket),
    );
  }

  static async start(options: EdgeListenerOptions): Promise<EdgeListener> {
    const listener = new EdgeListener(options);
    listener.#port = await listen(listener.#server, options);
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  /** Those that the router has accepted. */
  get channels(): readonly EdgeChannel[] {
    return [...this.#channels];
  }

  /** New connections get this certificate. */
  renew({ key, serverCert }: RouterIdentity): void {
    this.#server.setSecureContext({ key, cert: serverCert, ca: [] });
  }

  /** Ends the connections of an API session. */
  closeToken(token: string): void {
    for (const channel of this.channels) if (channel.token === token) channel.close('the API session was removed');
  }

  /** Resolves when all connections have ended. */
  async close(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #accept(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.setNoDelay(true);
    const leaf = socket.getPeerCertificate().raw as Buffer | undefined;
    const chain = presentedChain(socket).map((der) => new X509Certificate(der));
    if (!leaf || !this.#options.isTrusted(chain)) return void socket.destroy();
    let onFrame = (frame: Frame) => {
      cancel();
      onFrame = this.#hello(socket, channel, { leaf: new X509Certificate(leaf), frame });
    };
    const channel: Channel = new Channel(socket, {
      limits: helloLimits,
      onFrame: (frame) => {
        this.#options.observe('received', frame);
        for (const one of this.#options.tamper(frame)) onFrame(one);
      },
      onClose: () => cancel(),
      onSent: (frame) => this.#options.observe('sent', frame),
    });
    const cancel = this.#options.timers.after(helloTime, () => channel.close('no hello came in time'));
  }

  /** Answers at once, and decides then. Returns what is done with the frames that follow. */
  #hello(socket: TLSSocket, channel: Channel, { leaf, frame }: { leaf: X509Certificate; frame: Frame }) {
    if (frame.type !== edgeTypes.hello) channel.close('the first frame is no hello');
    const early: Frame[] = [];
    let accepted: EdgeChannel | null = null;
    channel.limits = limits;
    channel.send(frameOf(replyTo(frame, this.#answer()), helloSequence));
    const token = readHeader.text(frame.headers.get(edgeHeaders.sessionToken)) ?? '';
    void this.#decide(token, leaf).then((session) => {
      if (!session) channel.close('the API session or its certificate is unknown');
      if (!session || channel.isClosed) return;
      accepted = this.#open(socket, channel, { session, token });
      for (const one of early.splice(0)) this.#take(accepted, one);
    });
    return (next: Frame) => {
      if (accepted) this.#take(accepted, next);
      else if (early.push(next) > maxEarly) channel.close('too many frames before the router has accepted it');
    };
  }

  #open(socket: TLSSocket, channel: Channel, { session, token }: { session: ApiSession; token: string }): EdgeChannel {
    const { timers, clock, onChange } = this.#options;
    const edge = new EdgeChannel(session, { socket, channel, timers, token, connectedAt: clock() });
    this.#channels.add(edge);
    socket.once('close', () => {
      this.#channels.delete(edge);
      edge.ended();
      onChange(edge.identityId);
    });
    onChange(edge.identityId);
    return edge;
  }

  #take(channel: EdgeChannel, frame: Frame): void {
    try {
      if (!channel.takeReply(frame)) this.#options.onFrame(channel, frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      channel.close(error.message);
    }
  }

  async #decide(token: string, leaf: X509Certificate) {
    const { apiSessions, unknownToken } = this.#options;
    await apiSessions.wait(token, unknownToken);
    // It may have changed since it appeared.
    const session = apiSessions.get(token);
    return session && mayConnect(session, leaf) ? session : null;
  }

  #answer() {
    const { identity, versionInfo } = this.#options;
    const { text, boolean } = headerValue;
    return {
      type: edgeTypes.result,
      headers: new Map([
        [edgeHeaders.connectionId, text(randomId(4))],
        [edgeHeaders.isSuccess, boolean(true)],
        [edgeHeaders.versionInfo, text(versionInfo)],
        [edgeHeaders.answeringId, text(identity.id)],
        [sendsBindSuccess, boolean(true)],
        [takesPosture, boolean(true)],
      ]),
    };
  }
}
