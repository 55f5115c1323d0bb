import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEdgeClient, isEdgeNetworkError, isWrongCredentials } from '@edge-controller/sdk/node';
import { startBackend } from './backend.ts';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;
/** Milliseconds after which the backend knows for certain that a session has ended. */
const maxAge = 1_000;

async function run(username: string, password: string): Promise<void> {
  const backend = await startBackend(url, caFile, maxAge);
  const hello = `${backend.origin}/hello`;
  // `edge.fetch` sends the token to the controller and to these origins only.
  const edge = createEdgeClient(url, { caFile, origins: [backend.origin] });

  const before = await edge.fetch(hello);
  console.log(`without a session: ${before.status} ${before.headers.get('www-authenticate')}`);

  await edge.signIn.password({ username, password });
  console.log(`signed in, the backend says: ${await (await edge.fetch(hello)).text()}`);

  const copied = await edge.authorization(hello);
  await edge.signOut();
  console.log(`signed out: the backend refused the old token after ${await untilRefused(hello, copied)} ms`);
  backend.close();
}

/** Sends a token as somebody would who has copied it. */
async function untilRefused(address: string, headers: Record<string, string>): Promise<number> {
  const started = Date.now();
  while ((await fetch(address, { headers })).status !== 401) {
    if (Date.now() - started > 10 * maxAge) throw new Error('the backend still accepts the token');
    await sleep(100);
  }
  return Date.now() - started;
}

function stop(reason: string): never {
  console.error(reason);
  process.exit(1);
}

if (!EDGE_ADMIN_USERNAME || !EDGE_ADMIN_PASSWORD) {
  stop('Set EDGE_ADMIN_USERNAME and EDGE_ADMIN_PASSWORD to the credentials of a user, for example the administrator.');
}
if (!existsSync(caFile)) {
  stop(`There is no CA bundle at ${caFile}. Start the controller with "npm start", or set EDGE_CA to its pki/ca.pem.`);
}
try {
  await run(EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD);
} catch (error) {
  if (isWrongCredentials(error)) stop('The controller refused the user: check the credentials.');
  if (isEdgeNetworkError(error)) stop(`The controller at ${url} cannot be reached (${error.code}). Is it running?`);
  throw error;
}
