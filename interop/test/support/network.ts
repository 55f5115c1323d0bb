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

const onlineTimeout = 30_000;
const pollPause = 20;

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
  /** The administrator, who signs in again whenever the session has ended. */
  readonly edge: EdgeClient;
  readonly #options: NetworkOptions;
  readonly #ports: readonly number[];

  /** `ports`: two, and two more for each router. */
  constructor(options: NetworkOptions, ports: readonly number[]) {
    const [port = 0, routersPort = 0, ...others] = ports;
    this.#options = options;
    this.#ports = others;
    const dataDir = join(this.directory, 'controller');
    this.controller = new ControllerProcess({ dataDir, port, routersPort, env: options.env ?? {} });
    this.edge = createEdgeClient(this.controller.url, {
      caFile: this.controller.caFile,
      reauthenticate: () => this.edge.signIn.password(adminCredentials),
    });
  }

  async start(): Promise<void> {
    await this.controller.start();
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

  /** Waits until the controller shows the router as online. */
  async online(router: EdgeRouter): Promise<void> {
    await this.until(`${router.name} is online`, async () => {
      return (await this.edge.management.edgeRouters.get(router.id)).isOnline;
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

  /** Adds a service that identities with the role attribute `hosts` offer, and those with `callers` use. */
  async addService(name: string, { encrypted = true } = {}): Promise<ServiceIds> {
    const { services, servicePolicies } = this.edge.management;
    const { id } = await services.create({ name, encryptionRequired: encrypted, roleAttributes: [name] });
    const policy = async (type: 'Dial' | 'Bind', attribute: string) => {
      const created = await servicePolicies.create({
        ...{ name: `${attribute} of ${name}`, type, semantic: 'AnyOf' },
        ...{ identityRoles: [`#${attribute}`], serviceRoles: [`#${name}`] },
      });
      return created.id;
    };
    return { id, dialPolicyId: await policy('Dial', 'callers'), bindPolicyId: await policy('Bind', 'hosts') };
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
    this.edge.dispose();
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

function lastLines(text: string): string {
  return text.split('\n').slice(-40).join('\n');
}
