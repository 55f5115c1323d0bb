import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEdgeClient, nodeFetch } from '@edge-controller/sdk/node';
import { createController, createLogger } from '@edge-controller/server';
import ky from 'ky';

const CALLS = 50;
const credentials = { username: 'admin', password: 'a password of the admin' };

export interface Recovery {
  readonly strategy: string;
  readonly ok: number;
  readonly signIns: number;
}

/** Fifty calls at once, after an administrator has ended their session: how many succeed, with how many sign-ins. */
export async function measureRecovery(): Promise<Recovery[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-bench-'));
  const log = createLogger({ level: 'error' });
  const load = { signInRate: 0, hashQueue: 1_000 };
  const controller = await createController({ port: 0, dataDir, adminPassword: credentials.password, log, ...load });
  let signIns = 0;
  controller.events.on('authentication.succeeded', () => (signIns += 1));
  try {
    const { url } = await controller.listen();
    const admin = createEdgeClient(url, { caFile: controller.caFile });
    await admin.signIn.password(credentials);
    const measure = async (strategy: string, sessionId: string, call: (index: number) => Promise<unknown>) => {
      await admin.management.apiSessions.delete(sessionId);
      signIns = 0;
      const settled = await Promise.allSettled(Array.from({ length: CALLS }, (_, index) => call(index)));
      return { strategy, ok: settled.filter(({ status }) => status === 'fulfilled').length, signIns };
    };
    const results: Recovery[] = [];
    for (const method of ['GET', 'POST'] as const) {
      const mine = await ourClient(url, controller.caFile);
      results.push(await measure(`@edge-controller/sdk, ${method}`, mine.sessionId, mine[method]));
      const kys = await kyClient(url, controller.caFile);
      results.push(await measure(`ky's recipe, ${method}`, kys.sessionId, kys[method]));
    }
    return results;
  } finally {
    await controller.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const sensor = (name: string) => ({ name, type: 'Device', isAdmin: false }) as const;

async function ourClient(url: string, caFile: string) {
  const edge = createEdgeClient(url, { caFile, reauthenticate: () => edge.signIn.password(credentials) });
  await edge.signIn.password(credentials);
  const { id } = await edge.client.currentApiSession.get();
  return {
    sessionId: id,
    GET: () => edge.client.currentApiSession.get(),
    POST: (index: number) => edge.management.identities.create(sensor(`ours ${index}`)),
  };
}

/** As its documentation says under "How do I implement token refresh on 401 responses?". */
async function kyClient(url: string, caFile: string) {
  const fetch = nodeFetch({ ca: readFileSync(caFile, 'utf8') });
  const signIn = async () => {
    const path = '/edge/client/v1/authenticate?method=password';
    return (await ky.post<SignedIn>(url + path, { fetch, json: credentials }).json()).data;
  };
  const { id, token } = await signIn();
  const api = ky.create({
    ...{ fetch, headers: { 'svc-session': token }, retry: { statusCodes: [401] } },
    hooks: {
      beforeRetry: [async ({ request }) => request.headers.set('svc-session', (await signIn()).token)],
    },
  });
  return {
    sessionId: id,
    GET: () => api.get(`${url}/edge/client/v1/current-api-session`).json(),
    POST: (index: number) => api.post(`${url}/edge/management/v1/identities`, { json: sensor(`ky ${index}`) }).json(),
  };
}

interface SignedIn {
  readonly data: { readonly id: string; readonly token: string };
}
