import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, enroll, saveIdentity } from '@edge-controller/sdk/node';
import { adminCredentials, ControllerProcess } from './controller-process.ts';
import { EdgeRouter } from './edge-router.ts';
import { freePorts } from './free-port.ts';

interface NetworkOptions {
  /** How many routers. Default 1. */
  readonly routers?: number;
  /** Kind of the keys of the routers. Default `EC`. */
  readonly keyType?: 'EC' | 'RSA';
  /** More settings of the controller. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An identity, and its file in the form that all clients read. */
export interface NetworkIdentity {
  readonly id: string;
  readonly name: string;
  readonly file: string;
}

/** Of each log, when a test fails. */
const maxLines = 60;
const roleAttributes = { hosts: 'hosts', callers: 'callers' };
const onlineTimeout = 30_000;
const pollPause = 50;

/** Makes a controller and routers that are online. Everybody may use all routers, until a test changes the policies. */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const network = new Network(options, await freePorts(2 + 2 * (options.routers ?? 1)));
  try {
    await network.start();
    return network;
  } catch (error) {
    console.error(network.logs());
    await network[Symbol.asyncDispose]();
    throw error;
  }
}

/** A controller, real routers, and what an administrator sets up in them. */
export class Network implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'edge-interop-'));
  readonly controller: ControllerProcess;
  readonly routers: EdgeRouter[] = [];
  #edge: EdgeClient | undefined;
  readonly #options: NetworkOptions;
  readonly #ports: readonly number[];

  /** `ports`: two, and two more for each router. */
  constructor(options: NetworkOptions, ports: readonly number[]) {
    const [port = 0, routersPort = 0, ...others] = ports;
    this.#options = options;
    this.#ports = others;
    const dataDir = join(this.directory, 'controller');
    this.controller = new ControllerProcess({ dataDir, port, routersPort, env: options.env ?? {} });
  }

  /** The administrator, who signs in again whenever the session has ended. */
  get edge(): EdgeClient {
    if (!this.#edge) throw new Error('the network has not started');
    return this.#edge;
  }

  async start(): Promise<void> {
    await this.controller.start();
    const { url, caFile } = this.controller;
    // The first start makes the certificates.
    this.#edge = createEdgeClient(url, {
      caFile,
      reauthenticate: () => this.edge.signIn.password(adminCredentials),
    });
    await this.edge.signIn.password(adminCredentials);
    const { edgeRouterPolicies, serviceEdgeRouterPolicies } = this.edge.management;
    await edgeRouterPolicies.create({
      ...{ name: 'all', semantic: 'AnyOf' },
      ...{ identityRoles: ['#all'], edgeRouterRoles: ['#all'] },
    });
    await serviceEdgeRouterPolicies.create({
      ...{ name: 'all', semantic: 'AnyOf' },
      ...{ serviceRoles: ['#all'], edgeRouterRoles: ['#all'] },
    });
    for (let index = 1; index <= (this.#options.routers ?? 1); index += 1) await this.#addRouter(`router-${index}`);
    for (const router of this.routers) router.start();
    await Promise.all(this.routers.map((router) => this.online(router)));
  }

  /** The first or second router, as `router(1)` and `router(2)`. */
  router(number: number): EdgeRouter {
    const router = this.routers[number - 1];
    if (!router) throw new Error(`the network has no router ${number}`);
    return router;
  }

  /** Waits until the controller shows where clients reach the router. */
  async online({ name, id }: EdgeRouter): Promise<void> {
    await this.until(`${name} is online`, async () => {
      const { isOnline, supportedProtocols } = await this.edge.management.edgeRouters.get(id);
      return isOnline && 'tls' in supportedProtocols;
    });
  }

  /** Waits until `holds`. @throws after `timeout` milliseconds */
  async until(what: string, holds: () => Promise<boolean>, timeout = onlineTimeout): Promise<void> {
    const end = performance.now() + timeout;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`${timeout} ms have passed, and it does not hold: ${what}`);
      await sleep(pollPause);
    }
  }

  /** Adds a service that identities with the role attribute `hosts` offer, and those with `callers` use, unless named otherwise. */
  async addService(name: string, { encrypted = true, attributes = roleAttributes } = {}): Promise<ServiceIds> {
    const { services, servicePolicies } = this.edge.management;
    // After a transfer that kept this process busy, an idle connection may have ended unseen. Only a GET is sent again then.
    await services.list({ limit: 1 });
    const { id } = await services.create({ name, encryptionRequired: encrypted, roleAttributes: [name] });
    const policy = async (type: 'Dial' | 'Bind', attribute: string) => {
      const created = await servicePolicies.create({
        ...{ name: `${attribute} of ${name}`, type, semantic: 'AnyOf' },
        ...{ identityRoles: [`#${attribute}`], serviceRoles: [`#${name}`] },
      });
      return created.id;
    };
    return {
      id,
      dialPolicyId: await policy('Dial', attributes.callers),
      bindPolicyId: await policy('Bind', attributes.hosts),
    };
  }

  /** From now on hosts reach only the first router and callers only the second one, so that data passes the link. */
  async separate(): Promise<void> {
    const { edgeRouterPolicies } = this.edge.management;
    const [all] = (await edgeRouterPolicies.list({ filter: 'name = "all"' })).data;
    if (all) await edgeRouterPolicies.delete(all.id);
    for (const [attribute, router] of [
      ['hosts', this.router(1)],
      ['callers', this.router(2)],
    ] as const) {
      await edgeRouterPolicies.create({
        ...{ name: attribute, semantic: 'AnyOf' },
        ...{ identityRoles: [`#${attribute}`], edgeRouterRoles: [`@${router.id}`] },
      });
    }
  }

  /** Adds an identity with a certificate. */
  async addIdentity(name: string, roleAttributes: readonly string[]): Promise<NetworkIdentity> {
    const { identities } = this.edge.management;
    const { id } = await identities.create({
      ...{ name, type: 'Device', isAdmin: false },
      ...{ roleAttributes: [...roleAttributes], enrollment: { ott: true } },
    });
    const jwt = (await identities.get(id)).enrollment.ott?.jwt;
    if (jwt === undefined) throw new Error(`${name} has no enrollment`);
    const file = join(this.directory, `${name}.json`);
    await saveIdentity(file, await enroll(jwt));
    return { id, name, file };
  }

  /** What the controller and the routers have written, for a test that fails. */
  logs(): string {
    const routers = this.routers.map(({ name, log }) => `— ${name}\n${lastLines(log)}`);
    return [`— controller\n${lastLines(this.controller.log)}`, ...routers].join('\n');
  }

  async [Symbol.asyncDispose]() {
    await Promise.all([...this.routers, this.controller].map((each) => each[Symbol.asyncDispose]()));
    this.#edge?.dispose();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #addRouter(name: string): Promise<void> {
    const { edgeRouters } = this.edge.management;
    const { id } = await edgeRouters.create({ name, roleAttributes: [name] });
    const { enrollmentJwt } = await edgeRouters.get(id);
    if (!enrollmentJwt) throw new Error(`${name} has no enrollment`);
    const [edgePort = 0, linkPort = 0] = this.#ports.slice(2 * this.routers.length);
    const controller = this.controller.routersAddress;
    const router = new EdgeRouter({ directory: this.directory, name, id, controller, edgePort, linkPort });
    this.routers.push(router);
    await router.enroll(enrollmentJwt, this.#options.keyType);
  }
}

/** A service and its two policies. */
export interface ServiceIds {
  readonly id: string;
  readonly dialPolicyId: string;
  readonly bindPolicyId: string;
}

/** The end of a log: severity, message and error of each line, without the requests that only look. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => !/"method":"GET".*"status":200/.test(line));
  return lines.slice(-maxLines).map(shorten).join('\n');
}

function shorten(line: string): string {
  if (!line.startsWith('{')) return line;
  const { time, level, msg, file: _file, func: _func, ...rest } = JSON.parse(line);
  return [time, level, msg, JSON.stringify(rest)].join(' ');
}
