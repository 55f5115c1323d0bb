import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Makes the reader of a request's client address. `X-Forwarded-For` counts only when the peer is one of
 * `trustedProxies` (CIDR): read from the right, the first address that is no trusted proxy is the client.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: string) => {
    const parsed = parseAddress(address);
    return (
      parsed !== null &&
      ranges.some(([network, bits]) => {
        return network.kind() === parsed.kind() && parsed.match([network, bits] as never);
      })
    );
  };
  return (request) => {
    const peer = withoutMapping(request.socket.remoteAddress ?? '');
    if (ranges.length === 0 || !isTrusted(peer)) return peer;
    const forwarded = request.headers['x-forwarded-for'];
    const hops = typeof forwarded === 'string' ? forwarded.split(',') : [];
    let client = peer;
    for (const hop of hops.reverse()) {
      const parsed = parseAddress(hop.trim());
      if (parsed === null) break;
      client = parsed.toString();
      if (!isTrusted(client)) break;
    }
    return client;
  };
}

/** What limits by address count: an IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parseAddress(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : address;
}

function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return null;
  return ipaddr.process(bare);
}

function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
