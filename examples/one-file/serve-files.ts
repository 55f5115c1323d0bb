import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const html = 'text/html; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

const files: Readonly<Record<string, readonly [type: string, url: string]>> = {
  '/': [html, import.meta.resolve('./index.html')],
  '/page.js': [javascript, import.meta.resolve('./page.js')],
  '/edge-controller.js': [javascript, import.meta.resolve('@edge-controller/sdk/single')],
};

/** Serves the page at `http://localhost:<port>`. `seen` gets the path of each request. */
export function serveFiles(port: number, seen: string[] = []): Promise<Server> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    seen.push(path);
    const file = files[path];
    if (!file) return void response.writeHead(404).end();
    const [type, url] = file;
    response.writeHead(200, { 'Content-Type': type }).end(readFileSync(fileURLToPath(url)));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, 'localhost', () => resolve(server));
  });
}
