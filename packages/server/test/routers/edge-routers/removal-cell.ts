import { setTimeout as delay } from 'node:timers/promises';
import type { EdgeConnection, NodeEdgeClient, ServiceBinding } from '@edge-controller/sdk/node';
import type { TestController, TestIdentity } from '@edge-controller/sdk/testing';

/** One of the two who are connected. */
export interface Side {
  readonly identity: TestIdentity;
  readonly edge: NodeEdgeClient;
  readonly token: string;
  readonly apiSessionId: string;
  /** The id of the router that it uses. */
  readonly routerId: string;
}

/** One end of a connection. */
export interface End {
  readonly connection: EdgeConnection;
  /** When it was seen closed, in milliseconds of `performance.now()`. */
  closedAt: number | null;
}

type SideName = 'host' | 'dialer';
type Ids = Readonly<Record<'bindPolicy' | 'dialPolicy' | 'check' | `${SideName}Routers` | 'serviceRouters', string>>;

interface Parts {
  readonly controller: TestController;
  readonly name: string;
  /** The routers of the dialer and of the host, and one that both may use, too. */
  readonly routers: { readonly dialer: string; readonly host: string; readonly probe: string };
}

const anyOf = { semantic: 'AnyOf' } as const;
const [domain, otherDomain] = ['example.org', 'example.com'];
/** Milliseconds between two messages on a connection. */
const pulse = 100;

/** A service with a host and a dialer, and everything that lets them connect. */
export class RemovalCell {
  readonly name: string;
  readonly serviceId: string;
  readonly host: Side;
  readonly dialer: Side;
  readonly #controller: TestController;
  readonly #ids: Ids;
  readonly #binding: ServiceBinding;
  readonly #ends: Record<'dialer' | 'host', End[]> = { dialer: [], host: [] };
  #isOver = false;

  private constructor(
    controller: TestController,
    made: {
      readonly name: string;
      readonly serviceId: string;
      readonly host: Side;
      readonly dialer: Side;
      readonly ids: Ids;
      readonly binding: ServiceBinding;
    },
  ) {
    this.#controller = controller;
    this.name = made.name;
    this.serviceId = made.serviceId;
    this.host = made.host;
    this.dialer = made.dialer;
    this.#ids = made.ids;
    this.#binding = made.binding;
    void this.#serve();
  }

  static async create({ controller, name, routers }: Parts): Promise<RemovalCell> {
    const { services, servicePolicies, postureChecks, serviceEdgeRouterPolicies } = controller.admin.management;
    const side = async (routerId: string, ...roleAttributes: string[]): Promise<Side> => {
      const identity = await controller.createIdentity({ roleAttributes });
      const edge = await identity.signIn();
      const { 'svc-session': token = '' } = await edge.authorization(controller.url);
      return { identity, edge, token, apiSessionId: edge.session?.id ?? '', routerId };
    };
    const hostRouters = await giveRouter({ controller, name, routers }, 'host');
    const dialerRouters = await giveRouter({ controller, name, routers }, 'dialer');
    const [host, dialer, service, check] = await Promise.all([
      side(routers.host, `host-${name}`),
      side(routers.dialer, `dials-${name}`, `dialer-${name}`),
      services.create({ name, encryptionRequired: false, roleAttributes: [`via-${name}`] }),
      postureChecks.create({ name, typeId: 'DOMAIN', domains: [domain] }),
    ]);
    const policy = { ...anyOf, serviceRoles: [`@${service.id}`] };
    const [bindPolicy, dialPolicy, serviceRouters] = await Promise.all([
      servicePolicies.create({
        ...policy,
        name: `${name} Bind`,
        type: 'Bind',
        identityRoles: [`@${host.identity.id}`],
      }),
      servicePolicies.create({
        ...{ ...policy, name: `${name} Dial`, type: 'Dial' },
        ...{ identityRoles: [`#dials-${name}`], postureCheckRoles: [`@${check.id}`] },
      }),
      serviceEdgeRouterPolicies.create({
        ...anyOf,
        name,
        serviceRoles: [`#via-${name}`],
        edgeRouterRoles: ['#all'],
      }),
    ]);
    const ids = {
      ...{ bindPolicy: bindPolicy.id, dialPolicy: dialPolicy.id, check: check.id },
      ...{ hostRouters, dialerRouters, serviceRouters: serviceRouters.id },
    };
    await dialer.edge.client.postureResponses.create({ id: check.id, typeId: 'DOMAIN', domain });
    const binding = await host.edge.bind(service.id);
    return new RemovalCell(controller, { name, serviceId: service.id, host, dialer, ids, binding });
  }

  /** Dials, and sends data over the connection until it ends. */
  async open(): Promise<void> {
    const connection = await this.dialer.edge.dial(this.serviceId, { timeout: 10_000 });
    const end = this.#watch('dialer', connection);
    connection.resume();
    const timer = setInterval(() => connection.writable && connection.write(Buffer.alloc(1_024, 1)), pulse);
    connection.once('close', () => clearInterval(timer));
    // It may be lost already.
    if (end.closedAt !== null) clearInterval(timer);
  }

  /** Both ends of the connections that live. */
  get live(): readonly End[] {
    return [...this.#ends.dialer, ...this.#ends.host].filter(({ closedAt }) => closedAt === null);
  }

  /** Whether each connection lives at both ends, and there are so many. */
  hasConnections(count: number): boolean {
    const counts = [this.#ends.dialer, this.#ends.host].map(
      (ends) => ends.filter(({ closedAt }) => closedAt === null).length,
    );
    return counts.every((found) => found === count);
  }

  #watch(side: 'dialer' | 'host', connection: EdgeConnection): End {
    const end: End = { connection, closedAt: connection.destroyed ? performance.now() : null };
    this.#ends[side].push(end);
    connection.on('error', () => undefined);
    connection.once('close', () => {
      end.closedAt ??= performance.now();
    });
    return end;
  }

  /** The sessions that it has, by their tokens. */
  async sessionToken(side: 'host' | 'dialer'): Promise<string> {
    const type = side === 'host' ? 'Bind' : 'Dial';
    return (await this[side].edge.sessions.create({ serviceId: this.serviceId, type })).token;
  }

  async removeSession(side: 'host' | 'dialer'): Promise<void> {
    const { sessions } = this.#controller.admin.management;
    const filter = `service = "${this.serviceId}" and identity = "${this[side].identity.id}"`;
    for (const { id } of (await sessions.list({ filter })).data) await sessions.delete(id);
  }

  removeApiSession(side: 'host' | 'dialer'): Promise<unknown> {
    return this.#controller.admin.management.apiSessions.delete(this[side].apiSessionId);
  }

  deleteIdentity(side: 'host' | 'dialer'): Promise<unknown> {
    return this.#controller.admin.management.identities.delete(this[side].identity.id);
  }

  disableIdentity(side: 'host' | 'dialer'): Promise<unknown> {
    return this.#controller.admin.management.identities.disable(this[side].identity.id, { durationMinutes: 0 });
  }

  takePolicy(side: 'host' | 'dialer'): Promise<unknown> {
    const id = side === 'host' ? this.#ids.bindPolicy : this.#ids.dialPolicy;
    return this.#controller.admin.management.servicePolicies.patch(id, { identityRoles: [] });
  }

  takeAttribute(): Promise<unknown> {
    const roleAttributes = [`dialer-${this.name}`];
    return this.#controller.admin.management.identities.patch(this.dialer.identity.id, { roleAttributes });
  }

  /** The policy that lets it use its router, in one of three ways. */
  takeRouterPolicy(side: SideName): Promise<unknown> {
    const { edgeRouterPolicies } = this.#controller.admin.management;
    const id = this.#ids[`${side}Routers`];
    return anyOne(
      () => edgeRouterPolicies.delete(id),
      () => edgeRouterPolicies.patch(id, { identityRoles: [] }),
      () => edgeRouterPolicies.patch(id, { edgeRouterRoles: [] }),
    );
  }

  /** The attribute with which that policy selects it. */
  takeAttributeForRouter(side: SideName): Promise<unknown> {
    const roleAttributes = side === 'host' ? [] : [`dials-${this.name}`];
    return this.#controller.admin.management.identities.patch(this[side].identity.id, { roleAttributes });
  }

  /** The attribute with which that policy selects its router. */
  takeAttributeOfRouter(side: SideName): Promise<unknown> {
    return setAttribute(this.#controller, this[side].routerId, { takes: `carries-${side}-${this.name}` });
  }

  /** The policy that lets the service be reached through routers, in one of three ways. */
  takeServiceRouterPolicy(): Promise<unknown> {
    const { serviceEdgeRouterPolicies } = this.#controller.admin.management;
    const id = this.#ids.serviceRouters;
    return anyOne(
      () => serviceEdgeRouterPolicies.delete(id),
      () => serviceEdgeRouterPolicies.patch(id, { serviceRoles: [] }),
      () => serviceEdgeRouterPolicies.patch(id, { edgeRouterRoles: [] }),
    );
  }

  /** The attribute with which that policy selects it. */
  takeAttributeOfService(): Promise<unknown> {
    return this.#controller.admin.management.services.patch(this.serviceId, { roleAttributes: [] });
  }

  async terminators(): Promise<readonly string[]> {
    const { data } = await this.#controller.admin.management.terminators.list({
      filter: `service = "${this.serviceId}"`,
    });
    return data.map(({ id }) => id);
  }

  deleteService(): Promise<unknown> {
    return this.#controller.admin.management.services.delete(this.serviceId);
  }

  leaveDomain(): Promise<unknown> {
    const answer = { id: this.#ids.check, typeId: 'DOMAIN', domain: otherDomain } as const;
    return this.dialer.edge.client.postureResponses.create(answer);
  }

  /** Removes everything that it is made of. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#binding.close().catch(() => undefined);
    for (const { connection } of this.live) connection.destroy();
    await delay(0);
    const { management } = this.#controller.admin;
    const { edgeRouterPolicies, identities, services, servicePolicies, postureChecks } = management;
    const { bindPolicy, dialPolicy, check, hostRouters, dialerRouters, serviceRouters } = this.#ids;
    const gone = (error: { readonly status?: number }) => {
      if (error.status !== 404) throw error;
    };
    await Promise.all([
      ...[bindPolicy, dialPolicy].map((id) => servicePolicies.delete(id).catch(gone)),
      ...[this.host, this.dialer].map(({ identity }) => identities.delete(identity.id).catch(gone)),
      services.delete(this.serviceId).catch(gone),
      postureChecks.delete(check).catch(gone),
      ...[hostRouters, dialerRouters].map((id) => edgeRouterPolicies.delete(id).catch(gone)),
      management.serviceEdgeRouterPolicies.delete(serviceRouters).catch(gone),
    ]);
    for (const side of ['host', 'dialer'] as const) await this.takeAttributeOfRouter(side);
    for (const { edge } of [this.host, this.dialer]) edge.dispose();
  }

  async #serve(): Promise<void> {
    try {
      for await (const connection of this.#binding) {
        this.#watch('host', connection);
        connection.pipe(connection);
      }
    } catch (error) {
      // It ends with the right of the host.
      if (this.#isOver) throw error;
    }
  }
}

/** Lets one side use its router. Returns the id of the policy. */
async function giveRouter({ controller, name, routers }: Parts, side: SideName): Promise<string> {
  const gives = `carries-${side}-${name}`;
  await setAttribute(controller, routers[side], { gives });
  const { id } = await controller.admin.management.edgeRouterPolicies.create({
    ...{ ...anyOf, name: `${name} ${side}`, identityRoles: [`#${side}-${name}`] },
    edgeRouterRoles: [`#${gives}`, `@${routers.probe}`],
  });
  return id;
}

async function setAttribute(
  controller: TestController,
  routerId: string,
  { gives, takes }: { readonly gives?: string; readonly takes?: string },
): Promise<void> {
  const { edgeRouters } = controller.admin.management;
  const before = (await edgeRouters.get(routerId)).roleAttributes ?? [];
  const kept = before.filter((attribute) => attribute !== takes);
  const roleAttributes = gives === undefined ? kept : [...kept, gives];
  if (roleAttributes.length !== before.length) await edgeRouters.patch(routerId, { roleAttributes });
}

async function anyOne(...ways: readonly (() => Promise<unknown>)[]): Promise<void> {
  await ways[Math.floor(Math.random() * ways.length)]?.();
}
