import type { Server, TLSSocket } from 'node:tls';
import { createServer } from 'node:tls';
import type { Frame } from '@edge-controller/shared-types/channel';
import { helloLimits, readHeader } from '@edge-controller/shared-types/channel';
import { Channel } from '../channel/channel.ts';
import { presentedFingerprints } from '../channel/presented-chain.ts';
import { listen } from '../listen.ts';
import type { RouterIdentity } from '../router-identity.ts';
import { Link, linkHeaders, linkLimits, linkTypes } from './link.ts';

interface LinkListenerOptions {
  readonly identity: RouterIdentity;
  readonly host: string;
  readonly port: number;
  /** Asks the controller whether these are certificates of this router. */
  readonly verify: (routerId: string, fingerprints: readonly string[]) => Promise<boolean>;
  /** Returns what is done with the frames of the link. */
  readonly onLink: (link: Link) => (frame: Frame) => void;
  readonly onClosed: (link: Link) => void;
}

/** Where other routers connect to for a link. */
export class LinkListener {
  readonly #options: LinkListenerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  #port = 0;

  private constructor(options: LinkListenerOptions) {
    const { key, serverCert } = options.identity;
    this.#options = options;
    const trust = { requestCert: true, rejectUnauthorized: false, ca: [] };
    this.#server = createServer({ key, cert: serverCert, ...trust }, (socket) => this.#accept(socket));
  }

  static async start(options: LinkListenerOptions): Promise<LinkListener> {
    const listener = new LinkListener(options);
    listener.#port = await listen(listener.#server, options);
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  renew({ key, serverCert }: RouterIdentity): void {
    this.#server.setSecureContext({ key, cert: serverCert, ca: [] });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    let link: Link | null = null;
    const early: Frame[] = [];
    let onFrame = (frame: Frame) => {
      onFrame = (next) => void early.push(next);
      const accept = (accepted: Link | null) => {
        channel.resume(this);
        if (!accepted) return;
        link = accepted;
        onFrame = this.#options.onLink(accepted);
        for (const one of early.splice(0)) onFrame(one);
      };
      channel.pause(this);
      this.#hello(socket, channel, frame)
        .then(accept)
        .catch(() => channel.close('no frames of a link'));
    };
    const channel: Channel = new Channel(socket, {
      limits: helloLimits,
      onFrame: (frame) => onFrame(frame),
      onClose: () => {
        this.#sockets.delete(socket);
        if (link) this.#options.onClosed(link);
      },
    });
  }

  /** `null`: the controller does not know the router. */
  async #hello(socket: TLSSocket, channel: Channel, { type, headers }: Frame): Promise<Link | null> {
    channel.limits = linkLimits;
    const id = readHeader.text(headers.get(linkHeaders.linkId)) ?? '';
    const peerId = readHeader.text(headers.get(linkHeaders.routerId)) ?? '';
    const iteration = readHeader.u32(headers.get(linkHeaders.iteration)) ?? 0;
    const isVerified = type === linkTypes.hello && (await this.#options.verify(peerId, presentedFingerprints(socket)));
    if (!isVerified) channel.close('the controller does not know this router');
    return isVerified && !channel.isClosed ? new Link({ id, iteration, peerId, isDialed: false, channel }) : null;
  }
}
