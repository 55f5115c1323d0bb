// The baseline: a plain Koa with one Redis GETEX per request. It responds with the headers and bytes of a real response over TLS
// as the controller sets it up (packages/server/src/http/listen.ts).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import Koa from 'koa';
import { createClient } from 'redis';
import { tlsOptions } from '../packages/server/src/http/tls-options.ts';

const { BENCH_REDIS, BENCH_KEY, BENCH_CERT, BENCH_TOKEN = '', BENCH_BODY = '', BENCH_HEADERS = '{}' } = process.env;
const headers: Record<string, string> = JSON.parse(BENCH_HEADERS);
const redis = createClient({ url: BENCH_REDIS ?? '' });
redis.on('error', () => undefined);
await redis.connect();

const keyOf = (token: string) => `bare:${createHash('sha256').update(token).digest('base64url')}`;
await redis.set(keyOf(BENCH_TOKEN), BENCH_BODY);

const app = new Koa();
app.use(async (ctx) => {
  const found = await redis.getEx(keyOf(ctx.get('svc-session')), { type: 'PX', value: 1_800_000 });
  if (found === null) return;
  ctx.set(headers);
  ctx.body = found;
});

const server = createServer(
  {
    ...tlsOptions({ key: readFileSync(BENCH_KEY ?? '', 'utf8'), cert: readFileSync(BENCH_CERT ?? '', 'utf8') }),
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 5_000,
  },
  app.callback(),
);
server.setTimeout(60_000);
server.maxRequestsPerSocket = 1_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `https://127.0.0.1:${(server.address() as { port: number }).port}` });
});
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
