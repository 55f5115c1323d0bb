// What a start is compared with: Koa over HTTPS with an existing key, and a SQLite file, of the packages of the server.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [server = '', dataDir = ''] = process.argv.slice(2);
const load = createRequire(join(server, 'package.json'));
const Koa = load('koa');
const Database = load('better-sqlite3');

const database = new Database(join(dataDir, 'entities.db'));
const app = new Koa();
app.use((/** @type {{ body: unknown }} */ ctx) => {
  ctx.body = database.prepare('select 1').get();
});
const pem = (/** @type {string} */ name) => readFileSync(join(dataDir, 'pki', name));
const listener = createServer({ key: pem('server.key'), cert: pem('server.pem') }, app.callback());
listener.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  process.stdout.write(`listening on ${port}\n`);
});
process.on('SIGTERM', () => process.exit());
