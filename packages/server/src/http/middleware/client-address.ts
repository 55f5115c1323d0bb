import type { Socket } from 'node:net';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import type { Middleware } from '../request-state.ts';

/**
 * Sets `ctx.ip`. `X-Forwarded-For` counts only when the peer is one of `trustedProxies` (addresses and CIDR ranges):
 * read from the right, the first address that is no trusted proxy is the client.
 */
export function clientAddress(trustedProxies: readonly string[]): Middleware {
  const isListed = proxyAddr.compile([...trustedProxies]);
  const isTrusted = (address: string, hop: number) => isListed(normalize(address) ?? '', hop);
  return (ctx, next) => {
    const peer = peerAddress(ctx.req.socket);
    // From the peer to the first hop that is not trusted. If this hop is not an address, the proxy before it counts.
    const hops = trustedProxies.length === 0 ? [] : proxyAddr.all(ctx.req, isTrusted).map(normalize);
    ctx.request.ip = hops.at(-1) ?? hops.at(-2) ?? peer;
    return next();
  };
}

/** The address at the other end of a connection; empty when it is closed. */
export function peerAddress({ remoteAddress = '' }: Socket): string {
  return normalize(remoteAddress) ?? '';
}

/** An address without port and without IPv4 mapping; `null` when it is none. */
function normalize(text: string): string | null {
  if (isIPv4(text)) return text;
  // Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}
