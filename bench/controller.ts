// The controller under load, as a process of its own.
const { BENCH_DATA = '', BENCH_DATABASE, BENCH_REDIS, BENCH_PRELOAD, BENCH_COLLECT } = process.env;
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
/** Frees what nobody holds any more, so that the memory in use is what is held. */
const collect = await collector();
process.on('message', () => {
  collect?.();
  process.send?.({ cpu: process.cpuUsage(), peak: process.resourceUsage().maxRSS, memory: process.memoryUsage() });
});

async function collector(): Promise<(() => void) | null> {
  if (!BENCH_COLLECT) return null;
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
