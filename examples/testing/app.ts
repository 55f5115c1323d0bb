import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isWrongCredentials } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';

const page = `<!doctype html><title>Devices</title>
<form method="post">
  <label>User name <input name="username"></label>
  <label>Password <input name="password" type="password"></label>
  <button>Sign in</button>
</form>`;

/** The application under test: a page on which people sign in and see how many sensors there are. */
export async function startApp(controller: { url: string; ca: string }): Promise<{ url: string; close(): void }> {
  const server: Server = createServer(async (request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.method !== 'POST') return response.end(page);
    const form = new URLSearchParams(await text(request));
    const credentials = { username: form.get('username') ?? '', password: form.get('password') ?? '' };
    return response.end(`<p role="status">${await signIn(controller, credentials)}</p>`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function signIn(controller: { url: string; ca: string }, credentials: { username: string; password: string }) {
  const edge = createEdgeClient(controller.url, { ca: controller.ca });
  try {
    await edge.signIn.password(credentials);
  } catch (error) {
    if (isWrongCredentials(error)) return 'Wrong user name or password';
    throw error;
  }
  const { meta } = await edge.management.identities.list({ filter: 'anyOf(roleAttributes) = "sensor"', limit: 1 });
  await edge.signOut();
  return `There are ${meta.pagination?.totalCount ?? 0} sensors`;
}
