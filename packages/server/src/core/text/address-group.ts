import ipaddr from 'ipaddr.js';

/** The address of a client as limits count it: an IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : address;
}
