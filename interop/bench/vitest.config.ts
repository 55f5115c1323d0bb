import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

// `npm run interop -- bench` alone runs these.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['source'] } },
  test: {
    name: 'interop-bench',
    include: ['interop/bench/**/*.test.ts'],
    globalSetup: ['interop/test/support/global-setup.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Each measurement has the machine for itself.
    fileParallelism: false,
    maxWorkers: 1,
  },
});
