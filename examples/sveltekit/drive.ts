// Tests the built application in Chromium against a running controller. The exit code is 0 when every step has succeeded.
import { applicationEnv, driveApplication } from './drive-application.ts';
import { startApplication } from './start-application.ts';

const { EDGE_PAGE_PORT = '5180' } = process.env;
const address = `http://localhost:${EDGE_PAGE_PORT}/`;

const application = await startApplication({
  ...{ cwd: import.meta.dirname, args: ['build'], address },
  env: { ...applicationEnv, HOST: 'localhost', PORT: EDGE_PAGE_PORT },
});
try {
  await driveApplication(address);
} finally {
  await application.stop();
}
