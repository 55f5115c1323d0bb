// The baseline: Koa, one Redis GETEX per request, the bytes of a real answer.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import Koa from 'koa';
import { createClient } from 'redis';

const { BENCH_REDIS, BENCH_KEY, BENCH_CERT, BENCH_BODY = '' } = process.env;
const redis = createClient({ url: BENCH_REDIS ?? '' });
redis.on('error', () => undefined);
await redis.connect();

const headers: Record<string, string> = JSON.parse(process.env.BENCH_HEADERS ?? '{}');
const app = new Koa();
app.use(async (ctx) => {
  const hash = createHash('sha256').update(ctx.get('svc-session')).digest('base64url');
  const found = await redis.getEx(`bare:${hash}`, { type: 'PX', value: 1_800_000 });
  if (found === null) return;
  ctx.set(headers);
  ctx.body = found;
});

const token = process.env.BENCH_TOKEN ?? '';
await redis.set(`bare:${createHash('sha256').update(token).digest('base64url')}`, BENCH_BODY);
const server = createServer(
  { key: readFileSync(BENCH_KEY ?? ''), cert: readFileSync(BENCH_CERT ?? '') },
  app.callback(),
).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `https://127.0.0.1:${(server.address() as { port: number }).port}` });
});
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
