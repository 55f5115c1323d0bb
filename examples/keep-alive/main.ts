import { createInterface } from 'node:readline/promises';
import { servePage } from '../browser-sign-in/serve-page.ts';
import { startController } from './start-controller.ts';

const { EDGE_PAGE_PORT = '5180' } = process.env;
const origin = `http://localhost:${EDGE_PAGE_PORT}`;

const controller = await startController({ origin, sessionTimeout: '30s' });
await servePage({ port: Number(EDGE_PAGE_PORT), controller: controller.url, base: import.meta.url });
const { username, password } = controller.credentials;
console.log(`Open ${controller.url} once and accept the certificate. Then open ${origin}`);
console.log(`and sign in as "${username}" with the password ${password}. A session ends after 30 s without a call.`);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
terminal.on('close', async () => {
  await controller[Symbol.asyncDispose]();
  process.exit();
});
for (;;) {
  await terminal.question('Press Enter to stop the controller. ');
  await controller.stop();
  await terminal.question('Press Enter to start it again. ');
  await controller.startAgain();
}
