import { createSecureContext } from 'node:tls';
import { onTestFinished } from 'vitest';
import { EdgeConnectionError } from '../../src/edge-routers/connection-error.ts';
import { openChannel } from '../../src/edge-routers/open-channel.ts';
import type { ChannelLoss } from '../../src/edge-routers/router-channel.ts';
import type { Authority } from './openssl.ts';
import { routerCertificate, routerPeers } from './router-peer.ts';

/** Why the channels of tests end. */
export const lost = new EdgeConnectionError('ROUTER_LOST');

/** A channel, its other end, and how it was lost. */
export async function openPeerChannel(authority: Authority) {
  const peers = await routerPeers(authority);
  const losses: ChannelLoss[] = [];
  const opening = openChannel({
    ...{ url: peers.url, token: 'the token', identityId: 'identity-1' },
    secureContext: createSecureContext({ ...routerCertificate(authority), ca: authority.ca }),
    async explain(loss) {
      losses.push(loss);
      return lost;
    },
  });
  const peer = await peers.next();
  const channel = await opening;
  onTestFinished(() => channel.end(lost));
  return { channel, peer, losses };
}
