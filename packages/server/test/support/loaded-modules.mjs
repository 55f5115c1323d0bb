// Preloaded into a process under test: tells at its end which packages it loaded before it was told to stop, and where its compile
// cache is.
import { getCompileCacheDir, registerHooks } from 'node:module';

const packages = new Set();
let isStopping = false;
process.on('SIGTERM', () => {
  isStopping = true;
});
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
    if (name && !isStopping) packages.add(name);
    return next(url, context);
  },
});
process.on('exit', () => {
  const report = { packages: [...packages], compileCache: getCompileCacheDir() ?? null };
  process.stdout.write(`loaded ${JSON.stringify(report)}\n`);
});
