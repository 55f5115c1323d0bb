import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enrollRouter, RouterDouble } from '@edge-controller/router-double';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, enroll, mtls } from '@edge-controller/sdk/node';
import { inject } from 'vitest';
import type { TestController } from './controller.ts';
import { adminCredentials, startController } from './controller.ts';
import { freshDatabase } from './postgres.ts';
import { freePort, freshRedis } from './redis.ts';

/** Two controllers with the same stores and the same certificates, each with a port for routers. */
export interface RouterReplicas extends AsyncDisposable {
  readonly replicas: readonly [Replica, Replica];
  /** Enrolls a router, starts it at one of the replicas, and waits until it is online. `at`: where it may connect, in this order. */
  startRouter(at: readonly Replica[], name: string): Promise<RouterDouble>;
}

export interface Replica {
  readonly server: TestController;
  /** `host:port` */
  readonly routersAddress: string;
  /** The administrator. */
  readonly edge: NodeEdgeClient;
}

const all = ['#all'];

export async function startRouterReplicas(redisUrl?: string): Promise<RouterReplicas> {
  const directory = mkdtempSync(join(tmpdir(), 'edge-replicas-'));
  const options = {
    databaseUrl: await freshDatabase(inject('postgresUrl')),
    redisUrl: redisUrl ?? (await freshRedis(inject('redisUrl'))),
    sealKey: Buffer.alloc(32, 7),
  };
  const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`] as const;
  const start = async (name: string, routersAddress: string): Promise<Replica> => {
    const routers = { routersBind: routersAddress, routersAddresses: addresses };
    const server = await startController({ ...options, ...routers, dataDir: join(directory, name) });
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    return { server, routersAddress, edge };
  };
  const first = await start('one', addresses[0]);
  cpSync(join(directory, 'one', 'pki'), join(directory, 'two', 'pki'), { recursive: true });
  const second = await start('two', addresses[1]);
  const { edgeRouterPolicies, serviceEdgeRouterPolicies } = first.edge.management;
  const policy = { name: 'all', semantic: 'AnyOf', edgeRouterRoles: all } as const;
  await edgeRouterPolicies.create({ ...policy, identityRoles: all });
  await serviceEdgeRouterPolicies.create({ ...policy, serviceRoles: all });
  const routers: RouterDouble[] = [];
  return {
    replicas: [first, second],
    async startRouter(at, name) {
      const { edgeRouters } = first.edge.management;
      const { id } = await edgeRouters.create({ name });
      const { enrollmentJwt } = await edgeRouters.get(id);
      const identity = await enrollRouter({ jwt: enrollmentJwt ?? '' });
      const router = await RouterDouble.start({
        identity,
        controllers: at.map(({ routersAddress }) => routersAddress),
      });
      routers.push(router);
      await router.whenOnline();
      return router;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(routers.map((router) => router.stop()));
      for (const { edge, server } of [first, second]) {
        edge.dispose();
        await server[Symbol.asyncDispose]();
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** An identity that signs in with its certificate at a replica, and asks for its routers there. */
export async function addClient(at: Replica, name: string) {
  const { identities } = at.edge.management;
  const { id } = await identities.create({ name, type: 'Device', isAdmin: false, enrollment: { ott: true } });
  const { enrollment } = await identities.get(id);
  const client = createEdgeClient(at.server.url, { fetch: mtls(await enroll(enrollment?.ott?.jwt ?? '')) });
  await client.signIn.certificate();
  await client.client.currentIdentityEdgeRouters.list();
  return { id, client };
}
