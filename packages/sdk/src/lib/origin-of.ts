import { absoluteUrl } from './absolute-url.ts';

/** The origin of an address. In a page it may be relative. A WebSocket has the origin of its server. */
export function originOf(url: string | URL): string {
  return new URL(absoluteUrl(url).replace(/^ws/, 'http')).origin;
}
