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

type Ids = Readonly<Record<'bindPolicy' | 'dialPolicy' | 'check', string>>;

interface Parts {
  readonly controller: TestController;
  readonly name: string;
  /** The routers of the dialer and of the host. */
  readonly routers: { readonly dialer: string; readonly host: string };
}

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
    const { services, servicePolicies, postureChecks } = controller.admin.management;
    const side = async (routerId: string, ...attributes: string[]): Promise<Side> => {
      const identity = await controller.createIdentity({ roleAttributes: [...attributes, `on-${routerId}`] });
      const edge = await identity.signIn();
      const { 'svc-session': token = '' } = await edge.authorization(controller.url);
      return { identity, edge, token, apiSessionId: edge.session?.id ?? '', routerId };
    };
    const [host, dialer, service, check] = await Promise.all([
      side(routers.host),
      side(routers.dialer, `dials-${name}`),
      services.create({ name, encryptionRequired: false }),
      postureChecks.create({ name, typeId: 'DOMAIN', domains: [domain] }),
    ]);
    const policy = { semantic: 'AnyOf' as const, serviceRoles: [`@${service.id}`] };
    const [bindPolicy, dialPolicy] = await Promise.all([
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
    ]);
    const ids = { bindPolicy: bindPolicy.id, dialPolicy: dialPolicy.id, check: check.id };
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
    const { identity, routerId } = this.dialer;
    return this.#controller.admin.management.identities.patch(identity.id, { roleAttributes: [`on-${routerId}`] });
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
    const { identities, services, servicePolicies, postureChecks } = this.#controller.admin.management;
    const { bindPolicy, dialPolicy, check } = this.#ids;
    const gone = (error: { readonly status?: number }) => {
      if (error.status !== 404) throw error;
    };
    await Promise.all([
      ...[bindPolicy, dialPolicy].map((id) => servicePolicies.delete(id).catch(gone)),
      ...[this.host, this.dialer].map(({ identity }) => identities.delete(identity.id).catch(gone)),
      services.delete(this.serviceId).catch(gone),
      postureChecks.delete(check).catch(gone),
    ]);
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
