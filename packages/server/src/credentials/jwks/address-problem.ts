import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Settings } from '../../core/config/schema.ts';

/** What decides which addresses are dialed. */
export type AddressPolicy = Pick<Settings, 'jwksBlockPrivateAddresses' | 'jwksDeniedIPs' | 'jwksAllowedIPs'>;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** No setting opens these: nobody serves a JWKS there, but clouds serve credentials. */
const neverDialed: Readonly<Record<string, readonly Range[]>> = {
  'an unspecified address': rangesOf(['0.0.0.0/8', '::/128']),
  'a link-local address': rangesOf(['169.254.0.0/16', 'fe80::/10']),
  'a multicast or broadcast address': rangesOf(['224.0.0.0/4', '255.255.255.255/32', 'ff00::/8']),
  'the address of a metadata service': rangesOf([
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    'fd00:42::42/128',
    'fd00:ec2::254/128',
    'fd20:ce::254/128',
  ]),
  // RFC 8215: only the network knows where in such an address the IPv4 address is.
  'an address of a local NAT64 prefix': rangesOf(['64:ff9b:1::/48']),
};

const privateRanges = rangesOf([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '::1/128',
  'fc00::/7',
  'fec0::/10',
]);

/**
 * Why an IP address must not be dialed, or `null`. An IPv6 address that stands for an IPv4 address is judged as both.
 * The text reads on from a name: "is a link-local address".
 */
export function addressProblem(text: string, policy: AddressPolicy): string | null {
  if (text.includes('%')) return 'has a zone id';
  if (isIP(text) === 0) return 'is not an IP address';
  const address = ipaddr.parse(text);
  const forms = [address, ...embedded(address)];
  const isIn = (ranges: readonly Range[]) => forms.some((form) => ranges.some((range) => matches(form, range)));
  const kind = Object.entries(neverDialed).find(([, ranges]) => isIn(ranges))?.[0];
  if (kind !== undefined) return `is ${kind}`;
  if (policy.jwksBlockPrivateAddresses && isIn(privateRanges)) return 'is a private or loopback address';
  if (isIn(rangesOf(policy.jwksDeniedIPs))) return 'is in the list of denied addresses';
  if (policy.jwksAllowedIPs.length === 0) return null;
  const dialed = [address, ipaddr.process(text)];
  const allowed = rangesOf(policy.jwksAllowedIPs);
  const isAllowed = dialed.some((form) => allowed.some((range) => matches(form, range)));
  return isAllowed ? null : 'is not in the list of allowed addresses';
}

/** The IPv4 addresses that a translator or a tunnel would send the packets of an IPv6 address to. */
function embedded(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  const v4 = (start: number, flip = 0) => new ipaddr.IPv4(bytes.slice(start, start + 4).map((byte) => byte ^ flip));
  const isIn = (range: string) => address.match(ipaddr.IPv6.parseCIDR(range));
  if (isIn('2002::/16')) return [v4(2)];
  if (isIn('2001::/32')) return [v4(4), v4(12, 0xff)];
  const suffixed = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'];
  const isLoopback = address.range() === 'loopback';
  return !isLoopback && suffixed.some(isIn) ? [v4(12)] : [];
}

function rangesOf(texts: readonly string[]): Range[] {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.toByteArray().length * 8];
  });
}

function matches(address: Address, [range, bits]: Range): boolean {
  return address.kind() === range.kind() && address.match(range, bits);
}
