import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Everything runs from TypeScript source: a test never depends on a build.
const conditions = ['source', 'node'];

const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['source'] } },
};

const limits = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: 'forks' as const,
  globalSetup: ['packages/server/test/support/global-setup.ts'],
  // The files of a worker share its process. The first setup file sees to it that none disturbs the next one.
  isolate: false,
  setupFiles: ['leaves-nothing', 'as-reference'].map((name) => `packages/server/test/support/${name}.ts`),
};

// The SDK sends with ky here, and with `fetch` alone in a page: both must pass.
const sendWithFetch = {
  '#send-exchange': fileURLToPath(new URL('packages/sdk/src/requests/send-with-fetch.ts', import.meta.url)),
};
const testsOfSending = ['packages/sdk/src/{client,requests}/**/*.test.ts'];

const serverTests = (...names: readonly string[]) => names.map((name) => `packages/server/test/${name}.test.ts`);

// `npm run long-tests` runs these. What they measure depends on the load of the machine: they run alone, after all others.
const loadTests = [...serverTests('bounds', 'edge-routers-load'), 'packages/sdk/test/bad-networks.test.ts'];

// `npm run long-tests` runs these, too: controllers that are killed, cut off, broken and moved, random changes, and a
// repository of its own.
const longTests = [
  ...serverTests(
    'backup',
    'crash',
    'doctor',
    'maintenance-walks',
    'moving',
    'postgres-outage',
    'recipe',
    'restore-kills',
  ),
  ...serverTests('edge-routers-removals', 'routers-random', 'service-rights-random', 'service-updates-random'),
  ...serverTests('services-random', 'upgrade-interrupted'),
];

// `npm run pages` runs these.
const pages = 'packages/console/test/pages/*.test.ts';

export default defineConfig({
  test: {
    // More than the cores of a small machine, because many tests wait: for PostgreSQL, Redis, processes and timers.
    maxWorkers: 3,
    projects: [
      {
        ...shared,
        test: { ...limits, name: 'unit', include: ['packages/*/src/**/*.test.ts'], provide: { sendsWith: 'ky' } },
      },
      {
        ...shared,
        test: {
          ...limits,
          name: 'wire',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...longTests, ...loadTests, pages],
        },
      },
      {
        ...{ ...shared, resolve: { conditions, alias: sendWithFetch } },
        test: { ...limits, name: 'fetch', include: testsOfSending, provide: { sendsWith: 'fetch' } },
      },
      { ...shared, test: { ...limits, name: 'long', include: longTests } },
      {
        ...shared,
        test: { ...limits, name: 'load', include: loadTests, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
