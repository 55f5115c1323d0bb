// What a start is compared with: Koa over HTTPS with an existing key, and a SQLite file, of the packages of the server.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [server, dataDir] = process.argv.slice(2);
const require = createRequire(join(server, 'package.json'));
const Koa = require('koa');
const Database = require('better-sqlite3');

const database = new Database(join(dataDir, 'entities.db'));
const app = new Koa();
app.use((ctx) => {
  ctx.body = database.prepare('select 1').get();
});
const pem = (name) => readFileSync(join(dataDir, 'pki', name));
const listener = createServer({ key: pem('server.key'), cert: pem('server.pem') }, app.callback());
listener.listen(0, '127.0.0.1', () => process.stdout.write(`listening on ${listener.address().port}\n`));
process.on('SIGTERM', () => process.exit());
