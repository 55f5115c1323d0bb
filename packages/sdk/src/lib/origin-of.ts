/** The origin of an address. In a page it may be relative. A WebSocket has the origin of its server. */
export function originOf(url: string | URL): string {
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  return new URL(new URL(url, page).href.replace(/^ws/, 'http')).origin;
}
