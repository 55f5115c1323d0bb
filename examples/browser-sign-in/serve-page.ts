import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Serves the page at `http://localhost:<port>`. Its script calls the controller, which has another origin. */
export async function servePage({ port, controller }: { port: number; controller: string }): Promise<Server> {
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
    '/style.css': ['text/css; charset=utf-8', readFileSync(file('style.css'), 'utf8')],
    '/page.js': ['text/javascript; charset=utf-8', outputFiles[0]?.text ?? ''],
  };
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; connect-src ${origin}`;
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (!page) return void response.writeHead(404).end();
    const [type, body] = page;
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
    response.end(body);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, 'localhost', () => resolve(server));
  });
}
