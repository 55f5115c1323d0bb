// A controller under load, as a process of its own. A message with another environment starts another one beside it.
type Environment = Readonly<Record<string, string | undefined>>;

const { BENCH_PRELOAD, BENCH_COLLECT } = process.env;
if (BENCH_PRELOAD) await import(BENCH_PRELOAD);
const { createController, createLogger } = await import('@edge-controller/server');

process.send?.(await start(process.env));
/** Frees garbage, and what V8 keeps for new objects. The rest is in use. */
const collect = await collector();
process.on('message', async (message: string | Environment) => {
  if (typeof message === 'object') {
    process.send?.(await start(message));
    return;
  }
  collect?.();
  process.send?.({ cpu: process.cpuUsage(), peak: process.resourceUsage().maxRSS, memory: process.memoryUsage() });
});

async function start(environment: Environment): Promise<object> {
  const { BENCH_DATA = '', BENCH_DATABASE, BENCH_REDIS, BENCH_ROUTERS, BENCH_AUDIT } = environment;
  const { BENCH_CONSOLE, BENCH_OPERATIONS, BENCH_TRACES, BENCH_TRACES_RATIO = '1' } = environment;
  const controller = await createController({
    port: 0,
    dataDir: BENCH_DATA,
    adminPassword: 'a password of the admin',
    signInRate: 0,
    hashQueue: 1_000,
    // They are counted, and none is delayed.
    passwordAttempts: 1_000_000,
    databaseUrl: BENCH_DATABASE ?? null,
    redisUrl: BENCH_REDIS ?? null,
    routersBind: BENCH_ROUTERS ?? null,
    operationsBind: BENCH_OPERATIONS ?? null,
    tracesUrl: BENCH_TRACES ?? null,
    tracesRatio: Number(BENCH_TRACES_RATIO),
    ...(BENCH_CONSOLE && { consoleEnabled: true, consoleDir: BENCH_CONSOLE }),
    auditEnabled: BENCH_AUDIT !== 'off',
    // Refused sign-ins are warnings, and some rows have thousands.
    log: createLogger({ level: 'error' }),
  });
  const { port, routersPort } = await controller.listen();
  return { url: `https://127.0.0.1:${port}`, ...(routersPort && { routers: `127.0.0.1:${routersPort}` }) };
}

async function collector(): Promise<(() => void) | null> {
  if (!BENCH_COLLECT) return null;
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
