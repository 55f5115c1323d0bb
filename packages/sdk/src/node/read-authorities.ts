import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

interface Authorities {
  readonly ca: string | readonly string[] | undefined;
  readonly caFile: string | undefined;
}

/**
 * Reads the CA certificates of the options. `undefined` without any.
 *
 * @throws the file system error when the file cannot be read; TypeError when it has anything but PEM certificates. Node would
 *   ignore it, and the first connection would fail.
 */
export function readAuthorities({ ca, caFile }: Authorities): string[] | undefined {
  const inline = ca === undefined ? [] : [ca].flat();
  for (const pem of inline) checkCertificates(pem, '`ca`');
  if (caFile === undefined) return inline.length === 0 ? undefined : inline;
  const pem = readFileSync(caFile, 'utf8');
  checkCertificates(pem, `\`caFile\` ${caFile}`);
  return [...inline, pem];
}

function checkCertificates(pem: unknown, source: string): void {
  if (typeof pem !== 'string') throw new TypeError(`${source} must be a text with PEM certificates`);
  const blocks = pem.match(
    /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----.*?-----END (TRUSTED |X509 )?CERTIFICATE-----/gs,
  );
  if (blocks === null) throw new TypeError(`${source} has no PEM certificate: found ${contentOf(pem)}`);
  for (const [at, block] of blocks.entries()) {
    if (!isCertificate(block))
      throw new TypeError(`${source}: PEM certificate ${at + 1} of ${blocks.length} is damaged`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** Never quotes the text, because it may be a key. */
function contentOf(text: string): string {
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1];
  if (label !== undefined) return `PEM of type "${label}"`;
  if (text.trim() === '') return 'nothing';
  if (/^\s*</.test(text)) return 'HTML or XML';
  if (/^\s*[{[]/.test(text)) return 'JSON';
  if (text.startsWith('0\u0082') || text.includes('\ufffd')) return 'binary data; convert DER to PEM';
  if (/^[\w./\\:~-]{1,200}$/.test(text.trim()))
    return 'what looks like a path or a name; the path of a file goes into `caFile`';
  return `${text.length} characters of other text`;
}
