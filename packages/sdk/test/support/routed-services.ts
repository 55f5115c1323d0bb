import type { EdgeConnection, NodeEdgeClient, NodeEdgeClientOptions, ServiceBinding } from '@edge-controller/sdk/node';
import type { TestController, TestControllerOptions, TestIdentity, TestRouter } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';

/** A controller, a router, and identities that dial and host the services of the test. */
export interface RoutedServices extends AsyncDisposable {
  readonly controller: TestController;
  readonly router: TestRouter;
  readonly host: TestIdentity;
  readonly caller: TestIdentity;
  /** Clients of the two. */
  readonly hosting: NodeEdgeClient;
  readonly calling: NodeEdgeClient;
  /** Adds a service that the two may use. Returns its id. */
  addService(name: string, options?: { readonly encrypted?: boolean }): Promise<string>;
  /** Another client, which is disposed of with the others. */
  signIn(identity: TestIdentity, options?: NodeEdgeClientOptions): Promise<NodeEdgeClient>;
}

export async function startRoutedServices(options: TestControllerOptions = {}): Promise<RoutedServices> {
  const controller = await startTestController(options);
  const router = await controller.startRouter();
  const [host, caller] = await Promise.all([
    controller.createIdentity({ name: 'host', roleAttributes: ['hosts'] }),
    controller.createIdentity({ name: 'caller', roleAttributes: ['callers'] }),
  ]);
  const { services, servicePolicies } = controller.admin.management;
  for (const [type, attribute] of [
    ['Bind', '#hosts'],
    ['Dial', '#callers'],
  ] as const) {
    const roles = { identityRoles: [attribute], serviceRoles: ['#all'] };
    await servicePolicies.create({ name: type, type, semantic: 'AnyOf', ...roles });
  }
  const clients: NodeEdgeClient[] = [];
  const signIn: RoutedServices['signIn'] = async (identity, more) => {
    const edge = await identity.signIn(more);
    clients.push(edge);
    return edge;
  };
  return {
    ...{ controller, router, host, caller, signIn, hosting: await signIn(host), calling: await signIn(caller) },
    async addService(name, { encrypted = true } = {}) {
      return (await services.create({ name, encryptionRequired: encrypted })).id;
    },
    async [Symbol.asyncDispose]() {
      for (const edge of clients) edge.dispose();
      await controller[Symbol.asyncDispose]();
    },
  };
}

/** Sends back what comes, until the bind ends. */
export async function echo(binding: ServiceBinding): Promise<void> {
  try {
    for await (const connection of binding) connection.pipe(connection);
  } catch {
    // The test has ended.
  }
}

/** The next connection that comes to a host. */
export async function accept(binding: ServiceBinding): Promise<EdgeConnection> {
  const { value } = await binding[Symbol.asyncIterator]().next();
  if (!value) throw new Error('the bind has ended');
  return value;
}

/** All that the other end sends, until its end. */
export async function textOf(connection: EdgeConnection): Promise<string> {
  let text = '';
  for await (const chunk of connection) text += chunk;
  return text;
}
