import { defineConfig } from '@playwright/test';

const { CHROME_PATH } = process.env;

export default defineConfig({
  testMatch: '*.spec.ts',
  reporter: 'list',
  use: {
    launchOptions: {
      args: ['--no-sandbox'],
      // Without it, Playwright uses the browser that "npx playwright install chromium" has installed.
      ...(CHROME_PATH !== undefined && { executablePath: CHROME_PATH }),
    },
  },
});
