import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page, Query } from '../../src/core/filter/page.ts';
import { definitions } from '../../src/entities/index.ts';
import type { Link } from '../../src/network/circuits/link-table.ts';
import { LinkTable } from '../../src/network/circuits/link-table.ts';
import type { CircuitView, NetworkView } from '../../src/network/router-connections/network-view.ts';
import { circuits } from '../../src/routers/fabric/circuits.ts';
import { links } from '../../src/routers/fabric/links.ts';
import type { EntityStore } from '../../src/storage/entity-store/entity-store.ts';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';
import { callsOf } from '../support/calls.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { addSubject } from '../support/subjects.ts';

/** While no router can connect. */
const noNetwork: NetworkView = {
  links: async () => [],
  link: async () => null,
  circuits: async () => [],
  circuit: async () => null,
  removeLink: async () => false,
};

const management = '/edge/management/v1';
const bases = [management, '/fabric/v1'];

describe.each(storePairs)('the network on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const { send, read, refusal } = callsOf(() => ({ server, token }));

  it.each(bases)('has no links and circuits while no router is connected, below %s', async (base) => {
    const meta = { pagination: { limit: 10, offset: 0, totalCount: 0 } };
    for (const list of ['circuits', 'links?limit=10']) {
      const { status, body } = await send('GET', `${base}/${list}`);
      expect([status, body.data, body.meta]).toEqual([200, [], expect.objectContaining(meta)]);
    }
    for (const [noun, path] of [
      ['link', 'links'],
      ['circuit', 'circuits'],
    ]) {
      const missing = [404, 'NOT_FOUND', `${noun} with id none not found`];
      expect(await refusal('GET', `${base}/${path}/none`)).toEqual(missing);
    }
    expect(await refusal('DELETE', `${base}/links/none`)).toEqual([404, 'NOT_FOUND', 'link with id none not found']);
    expect((await refusal('GET', `${base}/links?filter=nothing%3D1`)).slice(0, 2)).toEqual([400, 'INVALID_FILTER']);
  });

  it('has routers and terminators with the names of members that existing tools read', async () => {
    const router = (await send('POST', `${management}/transit-routers`, { name: 'east' })).body.data.id;
    const service = (await send('POST', `${management}/services`, { name: 'db', encryptionRequired: true })).body.data;
    const sent = { binding: 'transport', address: 'tcp:db:1', identity: 'replica', router, service: service.id };
    const terminator = (await send('POST', `${management}/terminators`, sent)).body.data.id;
    const fabricRouter = { id: router, name: 'east', connected: false, cost: 0, noTraversal: false, disabled: false };
    const fabricTerminator = { id: terminator, instanceId: 'replica', dynamicCost: 0, service: { name: 'db' } };
    expect(await read('/fabric/v1/routers')).toMatchObject([fabricRouter]);
    expect(await read(`/fabric/v1/routers/${router}`)).toMatchObject(fabricRouter);
    expect(await read('/fabric/v1/terminators?filter=instanceId%3D%22replica%22')).toMatchObject([fabricTerminator]);
    expect(await read(`/fabric/v1/terminators/${terminator}`)).toMatchObject(fabricTerminator);
    expect(await read(`${management}/terminators/${terminator}`)).not.toHaveProperty('instanceId');
    expect(await refusal('GET', '/fabric/v1/routers/none')).toEqual([
      ...[404, 'NOT_FOUND', 'router with id none not found'],
    ]);
  });

  it('is only a part of the Management API below /fabric/v1', async () => {
    for (const path of ['identities', 'services', 'authenticate', 'version', 'transit-routers', '']) {
      const { status, body } = await send('GET', `/fabric/v1/${path}`);
      expect([status, body.error?.code], path).toEqual([404, 'NOT_FOUND']);
    }
    for (const [method, path] of [
      ['POST', 'routers'],
      ['PATCH', 'links/x'],
      ['DELETE', 'terminators/x'],
      ['DELETE', 'circuits/x'],
    ] as const) {
      const { status, body } = await send(method, `/fabric/v1/${path}`, {});
      expect([status, body.error?.code], `${method} ${path}`).toEqual([405, 'METHOD_NOT_ALLOWED']);
    }
    expect((await send('GET', '/fabric/links')).status).toBe(404);
    expect((await send('GET', '/fabric/v1//links/')).status).toBe(200);
  });

  it('is open to whoever may read what runs, its routers to whoever may read routers', async () => {
    const statuses = async (permissions: string[]) => {
      const { token: own } = await addSubject(server, token, { permissions });
      const paths = [
        ['GET', 'links'],
        ['GET', 'circuits'],
        ['GET', 'routers'],
        ['GET', 'terminators'],
        ['DELETE', 'links/none'],
      ] as const;
      const sent = paths.map(([method, path]) => server.wire(method, `/fabric/v1/${path}`, { token: own }));
      return (await Promise.all(sent)).map(({ status }) => status);
    };
    expect(await statuses([])).toEqual([401, 401, 401, 401, 401]);
    expect(await statuses(['ops.read'])).toEqual([200, 200, 401, 401, 401]);
    expect(await statuses(['ops.delete'])).toEqual([401, 401, 401, 401, 404]);
    expect(await statuses(['router.read', 'terminator.read'])).toEqual([401, 401, 200, 200, 401]);
    expect(await statuses(['admin_readonly'])).toEqual([200, 200, 200, 200, 401]);
  });

  it('is named in the version, and the SDK reads it', async () => {
    const path = '/fabric/v1';
    expect((await send('GET', '/version')).body.data.apiVersions.fabric).toEqual({
      v1: { path, apiBaseUrls: [server.url + path] },
    });
    await using edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    expect((await edge.management.links.list()).data).toEqual([]);
    expect((await edge.management.circuits.list()).data).toEqual([]);
    await expect(edge.management.links.delete('none')).rejects.toMatchObject({ status: 404 });
  });
});

describe('a network with links and circuits', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-network-'));
  let database: EntityStore;
  let routers: string[];
  let serviceId: string;
  beforeAll(async () => {
    {
      await using server = await startController({ dataDir });
      const token = await server.signIn();
      const add = async (path: string, body: object): Promise<string> =>
        (await server.wire('POST', `${management}/${path}`, { token, body })).body.data.id;
      routers = [await add('transit-routers', { name: 'east' }), await add('transit-routers', { name: 'west' })];
      serviceId = await add('services', { name: 'db', encryptionRequired: true });
    }
    database = await openSqliteEntityStore({ file: join(dataDir, 'entities.db') });
  });
  afterAll(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Two links from east to west, and one to a router that was deleted. */
  function table(): LinkTable {
    const [east = '', west = ''] = routers;
    const known = new LinkTable();
    const connections = [{ type: 'default', localAddress: '10.0.0.1:5', remoteAddress: '10.0.0.2:6' }];
    known.report(east, { id: 'l1', destId: west, protocol: 'tls', iteration: 3, connections });
    known.report(east, { id: 'l2', destId: west, protocol: 'tls', iteration: 1 });
    known.report(west, { id: 'l3', destId: 'deleted', protocol: 'tls', iteration: 1 });
    known.setLatency(east, 'l1', 1.5);
    known.change('l2', { isDown: true });
    return known;
  }

  const circuit = (id: string, changes: Partial<CircuitView> = {}): CircuitView => ({
    ...{ id, clientId: 'ada', hostId: 'bob', serviceId, terminatorId: 't1', createdAt: 1_000, updatedAt: 2_000 },
    path: { routers, links: ['l1'], cost: 12 },
    ...changes,
  });

  function callWith(network: Partial<NetworkView>) {
    const view = { ...noNetwork, ...network };
    return { database, definitions, network: view } as unknown as Parameters<typeof links.list>[0];
  }

  async function rowsOf<Row>(page: Page<Row>): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const batch of page.batches) rows.push(...batch);
    return rows;
  }

  const linksOf = (known: LinkTable) =>
    callWith({ links: async () => [...known.all()], link: async (id) => known.get(id) ?? null });
  const listLinks = async (query: Query) => rowsOf(await links.list(linksOf(table()), { query }));
  const idsOf = async (query: Query) => (await listLinks(query)).map(({ id }) => id);

  const ref = (entity: string, id: string, name?: string) => ({
    ...{ entity, id, _links: { self: { href: `./${entity}/${id}` } } },
    ...(name !== undefined && { name }),
  });

  it('shows links with the names of their routers, and latencies in nanoseconds', async () => {
    const [east = '', west = ''] = routers;
    const [first, second, third] = await listLinks({});
    expect(first).toEqual({
      ...{ id: 'l1', protocol: 'tls', state: 'Connected', down: false, iteration: 3 },
      ...{ staticCost: 1, sourceLatency: 1_500_000, destLatency: 65_000_000_000, cost: 65_002 },
      ...{ sourceRouter: ref('routers', east, 'east'), destRouter: ref('routers', west, 'west') },
      connections: [{ type: 'default', source: '10.0.0.1:5', dest: '10.0.0.2:6' }],
    });
    expect(second).toMatchObject({ id: 'l2', down: true });
    expect(third?.destRouter).toEqual(ref('routers', 'deleted'));
    const one = await links.get(linksOf(table()), { params: { id: 'l1' } });
    expect(one).toEqual(first);
  });

  it('filters, sorts and pages links; without a limit it shows all', async () => {
    const [east = '', west = ''] = routers;
    expect(await idsOf({ filter: `sourceRouter = "${east}" and down = false` })).toEqual(['l1']);
    expect(await idsOf({ filter: `destRouter = "${west}"`, sort: 'iteration desc' })).toEqual(['l1', 'l2']);
    expect(await idsOf({ limit: 1, offset: 1 })).toEqual(['l2']);
    const many = Array.from({ length: 1_200 }, (_, at): Link => ({ ...[...table().all()][0]!, id: `m${at}` }));
    const page = await links.list(callWith({ links: async () => many }), { query: {} });
    expect(page.pagination).toEqual({ limit: 'none', offset: 0, totalCount: 1_200 });
    expect(await rowsOf(page)).toHaveLength(1_200);
  });

  it('removes a link that is there', async () => {
    const known = table();
    const call = callWith({ removeLink: async (id) => known.remove(id) !== null });
    await links.delete(call, { params: { id: 'l1' } });
    expect(known.get('l1')).toBeUndefined();
    await expect(links.delete(call, { params: { id: 'l1' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('shows circuits with their path', async () => {
    const [east = '', west = ''] = routers;
    const open = [circuit('c2', { hostId: null, serviceId: 'deleted', clientId: 'eve' }), circuit('c1')];
    const call = callWith({
      circuits: async () => open,
      circuit: async (id) => open.find((each) => each.id === id) ?? null,
    });
    const [first, second] = await rowsOf(await circuits.list(call, { query: {} }));
    expect(first).toEqual({
      ...{ id: 'c1', clientId: 'ada', createdAt: '1970-01-01T00:00:01.000Z', updatedAt: '1970-01-01T00:00:02.000Z' },
      ...{ tags: { serviceId, clientId: 'ada', hostId: 'bob' }, _links: { self: { href: './circuits/c1' } } },
      ...{ service: ref('services', serviceId, 'db'), terminator: ref('terminators', 't1') },
      path: { nodes: [ref('routers', east, 'east'), ref('routers', west, 'west')], links: [ref('links', 'l1')] },
    });
    expect(second).toMatchObject({ id: 'c2', tags: { clientId: 'eve' }, service: ref('services', 'deleted') });
    expect(await circuits.get(call, { params: { id: 'c1' } })).toEqual(first);
    const found = await circuits.list(call, { query: { filter: 'clientId = "eve"' } });
    expect((await rowsOf(found)).map(({ id }) => id)).toEqual(['c2']);
  });
});
