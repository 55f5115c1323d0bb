import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Frame } from '@edge-controller/shared-types/channel';
import { headerValue } from '@edge-controller/shared-types/channel';
import { Channel } from '../channel/channel.ts';
import { frameOf, helloSequence } from '../channel/messages.ts';
import { readAddress } from '../control/controller-address.ts';
import type { RouterIdentity } from '../router-identity.ts';
import { Link, linkHeaders, linkLimits, linkTypes } from './link.ts';

interface LinkDial {
  readonly identity: RouterIdentity;
  /** `tls:host:port` */
  readonly address: string;
  readonly peerId: string;
  readonly id: string;
  readonly iteration: number;
  readonly onLink: (
    link: Link,
    addresses: { readonly local: string; readonly remote: string },
  ) => (frame: Frame) => void;
  /** `null`: there was no link. */
  readonly onClosed: (link: Link | null) => void;
}

/** Connects to another router for a link. Returns a function that ends the attempt. */
export function dialLink({ identity, address, peerId, id, iteration, onLink, onClosed }: LinkDial): () => void {
  const { host, port } = readAddress(address);
  const { key, cert, ca } = identity;
  const socket = connect({ host, port, key, cert, ca, servername: isIP(host) === 0 ? host : '' });
  socket.setNoDelay(true);
  let link: Link | null = null;
  let onFrame: (frame: Frame) => void = () => undefined;
  const channel: Channel = new Channel(socket, {
    limits: linkLimits,
    onFrame: (frame) => onFrame(frame),
    onClose: () => onClosed(link),
  });
  socket.once('secureConnect', () => {
    const { text, u32 } = headerValue;
    const headers = new Map<number, Uint8Array>([
      [linkHeaders.routerId, text(identity.id)],
      [linkHeaders.linkId, text(id)],
      [linkHeaders.iteration, u32(iteration)],
    ]);
    channel.send(frameOf({ type: linkTypes.hello, headers }, helloSequence));
    // A real router does not wait until the other one has verified it.
    link = new Link({ id, iteration, peerId, isDialed: true, channel });
    const [local, remote] = [`tcp:${socket.localAddress}:${socket.localPort}`, `tcp:${host}:${port}`];
    onFrame = onLink(link, { local, remote });
  });
  return () => channel.close('the router does not want this link any more');
}
