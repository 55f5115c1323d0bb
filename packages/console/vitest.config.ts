import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

// `npm run pages` alone runs these: a browser takes minutes to visit every page.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['source'] } },
  test: {
    name: 'pages',
    include: ['packages/console/test/pages/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('../server/test/support/global-setup.ts', import.meta.url))],
    setupFiles: [fileURLToPath(new URL('../server/test/support/patient.ts', import.meta.url))],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    isolate: false,
    // Each has a controller and a browser.
    maxWorkers: 2,
  },
});
