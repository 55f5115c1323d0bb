/** In a page an address may be relative: to what the page says, as for its `fetch`. */
export function absoluteUrl(url: string | URL): string {
  const { document, location } = globalThis as { document?: { baseURI?: string }; location?: { href?: string } };
  return new URL(url, document?.baseURI ?? location?.href).href;
}
