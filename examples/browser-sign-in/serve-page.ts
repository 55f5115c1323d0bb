import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

interface PageOptions {
  readonly port: number;
  /** Address of the controller. */
  readonly controller: string;
  /** A file in the folder of the page. Default: this folder. */
  readonly base?: string;
  /** Origins that the script may call beside the controller. */
  readonly connect?: readonly string[];
}

/** Serves the page at `http://localhost:<port>`. Its script calls the controller, which has another origin. */
export async function servePage(options: PageOptions): Promise<Server> {
  const { port, controller, base = import.meta.url, connect = [] } = options;
  const file = (name: string) => fileURLToPath(new URL(name, base));
  const { outputFiles } = await build({
    entryPoints: [file('page.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['source'],
    write: false,
  });
  const { origin } = new URL(controller);
  const html = readFileSync(file('index.html'), 'utf8').replace(
    '<meta charset',
    `<meta name="controller" content="${origin}">\n    <meta charset`,
  );
  const pages: Record<string, readonly [type: string, body: string]> = {
    '/': ['text/html; charset=utf-8', html],
    '/style.css': ['text/css; charset=utf-8', readFileSync(new URL('style.css', import.meta.url), 'utf8')],
    '/page.js': ['text/javascript; charset=utf-8', outputFiles[0]?.text ?? ''],
  };
  const targets = [origin, ...connect].join(' ');
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; connect-src ${targets}`;
  const server = createServer((request, response) => {
    const page = pages[request.url?.split('?')[0] ?? ''];
    if (!page) return void response.writeHead(404).end();
    const [type, body] = page;
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
    response.end(body);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, 'localhost', () => resolve(server));
  });
}
