import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Everything runs from TypeScript source: a test never depends on a build.
const conditions = ['source', 'node'];

const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['source'] } },
};

// Generous, because a busy machine makes a test slow and not wrong. The reporter of the scripts ends a run in which nothing happens.
const limits = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000, interval: 20 } },
  pool: 'forks' as const,
  globalSetup: ['packages/server/test/support/global-setup.ts'],
  // The files of a worker share its process. The first setup file sees to it that none disturbs the next one.
  isolate: false,
  setupFiles: ['leaves-nothing', 'patient', 'as-reference'].map((name) => `packages/server/test/support/${name}.ts`),
};

// The SDK sends with ky here, and with `fetch` alone in a page: both must pass.
const sendWithFetch = {
  '#send-exchange': fileURLToPath(new URL('packages/sdk/src/requests/send-with-fetch.ts', import.meta.url)),
};
const testsOfSending = ['packages/sdk/src/{client,requests}/**/*.test.ts'];

const serverTests = (...names: readonly string[]) => names.map((name) => `packages/server/test/**/${name}.test.ts`);

// `npm run long-tests` runs these. What they measure depends on the load of the machine: they run alone, after all others.
const loadTests = [...serverTests('bounds', 'edge-routers-load'), 'packages/sdk/test/bad-networks.test.ts'];

// `npm run long-tests` runs these, too.
const longTests = [
  // Processes that are started again and again, killed, cut off, broken and moved.
  ...serverTests(
    'audit-push',
    'backup',
    'crash',
    'doctor',
    'executable',
    'maintenance-walks',
    'migrate-status',
    'moving',
  ),
  ...serverTests('postgres-outage', 'reset-password', 'restore-kills', 'start', 'start-errors'),
  ...serverTests('upgrade', 'upgrade-interrupted'),
  // Random changes, and races that are repeated.
  ...serverTests('edge-routers-removals', 'ext-jwt-races', 'routers-random', 'service-rights-random'),
  ...serverTests('service-sessions-races', 'service-updates-random', 'services-random', 'totp-races'),
  // Pages that are left open, and all pages of the documents.
  ...[...serverTests('pages', 'sdk-idle-time', 'wall-clock'), 'packages/sdk/test/own-backend.test.ts'],
  // A repository of its own.
  ...serverTests('recipe'),
];

// `npm run pages` runs these.
const pages = 'packages/console/test/pages/*.test.ts';

export default defineConfig({
  test: {
    // More than the cores of a small machine, because many tests wait: for PostgreSQL, Redis, processes and timers.
    maxWorkers: 5,
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
      // Each starts several processes.
      {
        ...shared,
        test: { ...limits, name: 'long', include: longTests, maxWorkers: 3, sequence: { groupOrder: 1 } },
      },
      {
        ...shared,
        test: { ...limits, name: 'load', include: loadTests, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
