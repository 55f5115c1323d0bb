// The baseline of creates: a plain Koa that stores one row per request in SQLite, each with a flush to the disk.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { tlsOptions } from '../packages/server/src/http/tls-options.ts';
import { openFile } from '../packages/server/src/storage/database/sqlite/open-file.ts';

const { BENCH_DATA = '', BENCH_KEY = '', BENCH_CERT = '' } = process.env;
const database = openFile(BENCH_DATA);
database.pragma('synchronous = FULL');
database.exec(`create table identities (id text primary key, createdAt text not null, updatedAt text not null,
  tags text not null, name text not null, typeId text not null, isAdmin integer not null);
  create unique index identities_name on identities (name)`);
const insert = database.prepare('insert into identities values (?, ?, ?, ?, ?, ?, ?)');

const app = new Koa();
app.use(async (ctx) => {
  const { name, type, isAdmin } = JSON.parse(await text(ctx.req));
  const id = randomBytes(8).toString('base64url');
  const now = new Date().toISOString();
  database.transaction(() => insert.run(id, now, now, '{}', name, type, Number(isAdmin)))();
  ctx.status = 201;
  ctx.body = { meta: {}, data: { id, _links: { self: { href: `./identities/${id}` } } } };
});

const pem = { key: readFileSync(BENCH_KEY, 'utf8'), cert: readFileSync(BENCH_CERT, 'utf8') };
const server = createServer(tlsOptions(pem), app.callback());
server.maxRequestsPerSocket = 1_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `https://127.0.0.1:${(server.address() as { port: number }).port}` });
});
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
