import ipaddr from 'ipaddr.js';

/** Whether a host name or an address, without brackets, is that of the own machine. Nothing is looked up. */
export function isLocal(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** The host of a URL as lists have it: without brackets and without dots at the end. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '');
}

/** Whether a URL leads to another machine without TLS. */
export function isPlainHttp(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLocal(hostOf(parsed));
}
