import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** A page, or a file that it needs. */
export interface PageFile {
  readonly type: 'text/html' | 'text/javascript' | 'text/css';
  /** A name of `imports` in package.json. The sources and the built package have the files at different places. */
  readonly name: string;
}

interface LoadedFile {
  readonly bytes: Buffer;
  readonly etag: string;
}

export const overview: PageFile = { type: 'text/html', name: '#pages/index.html' };
export const overviewWithConsole: PageFile = { type: 'text/html', name: '#pages/index-with-console.html' };
const docs: PageFile = { type: 'text/html', name: '#pages/docs.html' };

/** Path → file. No other path leads to a file. */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map([
  ['/edge/docs', docs],
  ['/edge/docs/', docs],
  ['/edge/docs/docs.js', { type: 'text/javascript', name: '#pages/docs.js' }],
  ['/edge/docs/page.css', { type: 'text/css', name: '#pages/page.css' }],
  ['/edge/docs/swagger-ui-bundle.js', { type: 'text/javascript', name: '#swagger-ui/swagger-ui-bundle.js' }],
  ['/edge/docs/swagger-ui.css', { type: 'text/css', name: '#swagger-ui/swagger-ui.css' }],
]);

const { resolve } = createRequire(import.meta.url);
const loaded = new Map<string, LoadedFile>();

/** Reads a file when it is first asked for, then keeps it. */
export async function loadPageFile({ name }: PageFile): Promise<LoadedFile> {
  const file = loaded.get(name) ?? (await read(name));
  loaded.set(name, file);
  return file;
}

async function read(name: string): Promise<LoadedFile> {
  const bytes = await readFile(resolve(name));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}
