import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, it } from 'vitest';
import { createLogger } from '../../core/log/create-logger.ts';
import { errorEnvelope } from './error-envelope.ts';
import { timeLimit } from './time-limit.ts';

/** A server whose requests take as many milliseconds as their path says, and fail afterwards with `?fails`. */
async function start(milliseconds: number) {
  const lines: string[] = [];
  const log = createLogger({ level: 'error', destination: { write: (line: string) => void lines.push(line) } });
  const app = new Koa();
  app.use(errorEnvelope(log) as Koa.Middleware);
  app.use(timeLimit(milliseconds, log) as Koa.Middleware);
  app.use(async (ctx) => {
    await sleep(Number(ctx.path.slice(1)));
    if (ctx.search) throw new Error('too late to fail');
    ctx.body = ctx.path;
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, lines },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('refuses what takes longer and nothing else, in whatever order requests begin and end', async () => {
  await using server = await start(400);
  const durations = Array.from({ length: 60 }, (_, at) => [5, 900, 60, 150, 700, 0][(at * 7) % 6] ?? 0);
  const statuses = await Promise.all(
    durations.map(async (duration, at) => {
      await sleep(at % 13);
      return (await fetch(`${server.url}/${duration}`)).status;
    }),
  );
  expect(statuses).toEqual(durations.map((duration) => (duration > 400 ? 503 : 200)));
  // The timer has stopped meanwhile, and starts again.
  await sleep(600);
  expect((await fetch(`${server.url}/600`)).status).toBe(503);
});

it('logs what fails after its limit', async () => {
  await using server = await start(50);
  expect((await fetch(`${server.url}/300?fails`)).status).toBe(503);
  await expect.poll(() => server.lines.filter((line) => line.includes('after its limit'))).toHaveLength(1);
  expect(server.lines.join()).toContain('too late to fail');
});

it('refuses nobody when the client is gone', async () => {
  await using server = await start(400);
  const gone = fetch(`${server.url}/700`, { signal: AbortSignal.timeout(20) });
  await expect(gone).rejects.toThrow();
  await sleep(900);
  expect(server.lines).toEqual([]);
});
