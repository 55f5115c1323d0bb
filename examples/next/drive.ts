// Tests the built application in Chromium against a running controller. The exit code is 0 when every step has succeeded.
import { applicationEnv, driveApplication } from '../sveltekit/drive-application.ts';
import { startApplication } from '../sveltekit/start-application.ts';

const { EDGE_PAGE_PORT = '5180' } = process.env;
const address = `http://localhost:${EDGE_PAGE_PORT}/`;

const application = await startApplication({
  ...{ cwd: import.meta.dirname, address },
  args: ['node_modules/next/dist/bin/next', 'start', '--hostname', 'localhost', '--port', EDGE_PAGE_PORT],
  env: applicationEnv,
});
try {
  await driveApplication(address);
} finally {
  await application.stop();
}
