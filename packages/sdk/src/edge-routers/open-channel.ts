import { isIP } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { withDeadline } from '../errors/deadline.ts';
import { networkError } from '../errors/tls-error.ts';
import type { EdgeConnectionError } from './connection-error.ts';
import type { ChannelLoss } from './router-channel.ts';
import { RouterChannel } from './router-channel.ts';

export interface ChannelTarget {
  /** `tls://host:port`. */
  readonly url: string;
  readonly secureContext: SecureContext;
  /** The token of the API session. */
  readonly token: string;
  readonly identityId: string;
  readonly explain: (loss: ChannelLoss) => Promise<EdgeConnectionError>;
}

/** Milliseconds. */
const openTimeout = 10_000;
const protocol = 'ziti-edge';
/** Bytes. With less, a frame of data would often wait for a turn of its own. */
const highWaterMark = 512 * 1_024;

/**
 * Opens a channel to an edge router.
 *
 * @throws EdgeNetworkError, EdgeTlsError, EdgeTimeoutError, EdgeConnectionError
 */
export async function openChannel(target: ChannelTarget): Promise<RouterChannel> {
  const { url, secureContext, explain, token, identityId } = target;
  const socket = connectTo(url, secureContext);
  try {
    return await withDeadline({ signal: undefined, timeout: openTimeout, target: url }, async () => {
      await isSecure(socket, url);
      const channel = new RouterChannel({ url, socket, explain });
      await channel.hello(token, identityId);
      return channel;
    });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The address of a router that this runtime can connect to, or `undefined`. Existing routers also write `tls:host:port`. */
export function routerUrl({ tls }: Readonly<Record<string, string>>): string | undefined {
  const { host, port } = /^tls:(\/\/)?(?<host>.+):(?<port>\d+)$/.exec(tls ?? '')?.groups ?? {};
  return host && port ? `tls://${host}:${port}` : undefined;
}

function connectTo(url: string, secureContext: SecureContext): TLSSocket {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  // An address is no server name (RFC 6066, section 3). Node verifies the certificate for `host` then.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({
    ...{ host, port: Number(port), ...servername, secureContext, highWaterMark },
    ...{ ALPNProtocols: [protocol], minVersion: 'TLSv1.2' },
  });
  socket.setNoDelay(true);
  return socket;
}

function isSecure(socket: TLSSocket, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.on('error', (error) => reject(networkError(url, error)));
    socket.once('close', () => reject(networkError(url, new Error('closed during the TLS handshake'))));
  });
}
