import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

// `npm run interop` alone runs these: they need programs that Go builds, and minutes.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['source'] } },
  test: {
    name: 'interop',
    include: ['interop/test/**/*.test.ts'],
    globalSetup: ['interop/test/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Two routers, a controller and their clients are enough for a small machine.
    maxWorkers: 1,
  },
});
