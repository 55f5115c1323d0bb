import { hash } from 'node:crypto';
import { z } from 'zod';

/** The file `csp.json`: hashes of the styles that scripts of the console add to the page. */
export const cspFile = z.strictObject({
  styles: z
    .array(z.string().regex(/^sha(256-[A-Za-z0-9+/]{43}=|384-[A-Za-z0-9+/]{64}|512-[A-Za-z0-9+/]{86}==)$/))
    .max(20),
});

/**
 * The policy of the pages of the console: only its own files, and what is inline in `index.html`.
 *
 * @param addedStyles hashes of styles that scripts add, such as `sha256-…`
 */
export function contentSecurityPolicy(indexHtml: string, addedStyles: readonly string[]): string {
  const scripts = inline(indexHtml, 'script').map(hashOf);
  const styles = [...inline(indexHtml, 'style').map(hashOf), ...addedStyles];
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts.map(quoted)].join(' '),
    ["style-src 'self'", ...styles.map(quoted)].join(' '),
    "img-src 'self' data: blob:",
    // Whoever signs in with an OpenID provider gets the token from the provider itself. Signers name their providers at any time.
    "connect-src 'self' https:",
    ...["font-src 'self'", "manifest-src 'self'", "object-src 'none'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');
}

/** The contents of the elements that load no file. */
function inline(html: string, element: 'script' | 'style'): string[] {
  const elements = html.matchAll(new RegExp(`<${element}\\b([^>]*)>([\\s\\S]*?)</${element}\\b`, 'gi'));
  return [...elements].flatMap(([, attributes = '', content = '']) => (/\ssrc\s*=/i.test(attributes) ? [] : [content]));
}

/** Of the text as a browser has it: its lines end with LF. */
function hashOf(content: string): string {
  return `sha256-${hash('sha256', content.replaceAll('\r\n', '\n'), 'base64')}`;
}

const quoted = (source: string) => `'${source}'`;
