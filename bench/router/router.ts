// An edge router and its applications, as a process of its own.
import { createEdgeClient, enroll, mtls } from '@edge-controller/sdk/node';
import { enrollRouter, RouterDouble } from '@edge-controller/server/router-double';
import { EdgeApplication } from '../../packages/server/test/routers/router-double/edge-application.ts';
import { connectApplication } from '../../packages/server/test/routers/router-double/frame-peer.ts';
import { credentials } from '../call.ts';
import { refuseBinds } from './binds.ts';
import { openCircuits } from './circuits.ts';
import type { Order } from './order.ts';
import { timeRemovals } from './removals.ts';
import { timeSyncs } from './syncs.ts';

const { BENCH_URL: url = '', BENCH_CA: caFile = '', BENCH_ROUTERS: controllers = '' } = process.env;
const { BENCH_SESSION_HEADER: sessionHeader = 'svc-session' } = process.env;

const admin = createEdgeClient(url, { caFile, sessionHeader });
await admin.signIn.password(JSON.parse(credentials));
const { management } = admin;
const all = { semantic: 'AnyOf', name: 'all' } as const;
await management.edgeRouterPolicies.create({ ...all, identityRoles: ['#all'], edgeRouterRoles: ['#all'] });
await management.serviceEdgeRouterPolicies.create({ ...all, serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
const { id: serviceId } = await management.services.create({ name: 'hosted', encryptionRequired: false });
for (const type of ['Dial', 'Bind'] as const) {
  const roles = { identityRoles: ['#all'], serviceRoles: ['#all'] };
  await management.servicePolicies.create({ ...all, name: type, type, ...roles });
}

const { id: routerId } = await management.edgeRouters.create({ name: 'router' });
const { enrollmentJwt = '' } = await management.edgeRouters.get(routerId);
const identity = await enrollRouter({ jwt: enrollmentJwt ?? '' });
let running: RouterDouble | null = null;

/** Starts the router again. */
async function startRouter(): Promise<RouterDouble> {
  await running?.stop();
  running = await RouterDouble.start({ identity, controllers: [controllers] });
  return running;
}

/** The router that runs, connected to the controller. */
async function onlineRouter(): Promise<RouterDouble> {
  const router = running ?? (await startRouter());
  await router.whenOnline();
  return router;
}

/** An identity that is signed in with its certificate. */
async function signIn(name: string) {
  const { id } = await management.identities.create({
    name,
    type: 'Device',
    isAdmin: false,
    enrollment: { ott: true },
  });
  const own = await enroll((await management.identities.get(id)).enrollment.ott?.jwt ?? '');
  let token = '';
  const storage = {
    get: () => null,
    set(_key: string, value: string) {
      token = value;
    },
    remove: () => undefined,
  };
  const edge = createEdgeClient(url, { fetch: mtls(own), storage, sessionHeader });
  await edge.signIn.certificate();
  const session = (type: 'Dial' | 'Bind') => edge.sessions.create({ serviceId, type });
  const connect = async (router: RouterDouble) =>
    EdgeApplication.open(
      await connectApplication({ ca: identity.ca }, router.port, { key: own.key ?? '', cert: own.cert ?? '' }),
      token,
    );
  /** Another API session of the identity. */
  const signInAgain = async () => {
    const other = createEdgeClient(url, { fetch: mtls(own), sessionHeader });
    await other.signIn.certificate();
    await other.client.currentIdentityEdgeRouters.list();
    return { sessionId: other.session?.id ?? '', dispose: () => other.dispose() };
  };
  return { edge, apiSessionToken: token, session, signInAgain, connect };
}

const parts = {
  admin,
  application: await signIn('application'),
  /** Has other sessions than the application. */
  host: await signIn('host'),
  startRouter,
  onlineRouter,
};
export type Parts = typeof parts;

process.on('message', async (order: Order) => process.send?.(await follow(order)));
process.send?.('ready');

async function follow(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'circuits':
      return openCircuits(parts, order);
    case 'binds':
      return refuseBinds(parts, order);
    case 'syncs':
      return timeSyncs(parts, order);
    case 'removals':
      return timeRemovals(parts, order);
  }
}
