/** @throws TypeError when it is none of `host:port`, `tls:host:port` and `tls://host:port` */
export function readAddress(address: string): { readonly host: string; readonly port: number } {
  const [, ipv6, name, port] = /^(?:tls:(?:\/\/)?)?(?:\[([^[\]/]+)\]|([^[\]/:]+)):(\d+)$/.exec(address) ?? [];
  const host = ipv6 ?? name ?? '';
  if (host === '' || Number(port) > 65_535) throw new TypeError(`no address of a controller: ${address}`);
  return { host, port: Number(port) };
}
