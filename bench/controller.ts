// The controller under load, as a process of its own.
const { BENCH_DATA = '', BENCH_DATABASE, BENCH_REDIS, BENCH_PRELOAD } = process.env;
if (BENCH_PRELOAD) await import(BENCH_PRELOAD);
const { createController, createLogger } = await import('@edge-controller/server');

const controller = await createController({
  port: 0,
  dataDir: BENCH_DATA,
  adminPassword: 'a password of the admin',
  signInRate: 0,
  hashQueue: 1_000,
  databaseUrl: BENCH_DATABASE ?? null,
  redisUrl: BENCH_REDIS ?? null,
  log: createLogger({ level: 'warn' }),
});
const { port } = await controller.listen();
process.send?.({ url: `https://127.0.0.1:${port}` });
process.on('message', () => process.send?.({ cpu: process.cpuUsage(), peak: process.resourceUsage().maxRSS }));
