/** @throws TypeError when it is none of `host:port`, `tls:host:port` and `tls://host:port` */
export function readAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(?:tls:(?:\/\/)?)?\[?([^[\]/]+?)\]?:(\d+)$/.exec(address) ?? [];
  if (host === '' || Number(port) > 65_535) throw new TypeError(`no address of a controller: ${address}`);
  return { host, port: Number(port) };
}
