import type { BindOptions, DialOptions, NodeEdgeClient, ServiceBinding } from '@edge-controller/sdk/node';
import { mtls } from '@edge-controller/sdk/node';
import type { TestController, TestIdentity } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Tamper } from './hostile-router.ts';
import { startHostileRouter } from './hostile-router.ts';
import { accept } from './routed-services.ts';

/** A host and a caller with certificates, and the hostile router between them. */
interface ProvingCell {
  readonly controller: TestController;
  readonly router: Awaited<ReturnType<typeof startHostileRouter>>;
  readonly host: TestIdentity;
  readonly caller: TestIdentity;
  readonly hosting: NodeEdgeClient;
  readonly calling: NodeEdgeClient;
  /** The name of the service. */
  readonly service: string;
}

/** Starts the cell before the tests of a file, and ends it after them. */
export function provingCell(onStart: (cell: ProvingCell) => void) {
  let cell: ProvingCell;
  beforeAll(async () => {
    cell = await start();
    onStart(cell);
  });
  afterAll(async () => {
    for (const edge of [cell.hosting, cell.calling]) edge.dispose();
    await cell.router[Symbol.asyncDispose]();
    await cell.controller[Symbol.asyncDispose]();
  });

  async function dial(options: DialOptions = { authenticate: true, peer: cell.host.id }) {
    const connection = await cell.calling.dial(cell.service, options);
    return connection.on('error', () => undefined);
  }

  async function bind(options: BindOptions = { authenticate: true }): Promise<ServiceBinding> {
    const binding = await cell.hosting.bind(cell.service, options);
    onTestFinished(() => binding.close());
    return binding;
  }

  /** The router does this until the test ends. */
  function tamper(how: Tamper): void {
    const tampering = cell.router.becomes(how);
    onTestFinished(() => tampering[Symbol.dispose]());
  }

  async function pair(options?: { readonly dial?: DialOptions; readonly bind?: BindOptions }) {
    const binding = await bind(options?.bind);
    const connection = await dial(options?.dial);
    const accepted = await accept(binding);
    for (const one of [connection, accepted]) one.on('error', () => undefined);
    return { connection, accepted };
  }

  return { dial, bind, tamper, pair };
}

/** Signs in with a certificate of the identity. */
export async function withCertificate(controller: TestController, identity: TestIdentity): Promise<NodeEdgeClient> {
  const edge = controller.client({ fetch: mtls(await controller.clientCertificate(identity)) });
  await edge.signIn.certificate();
  return edge;
}

export const errorOf = (call: Promise<unknown>) => call.then(null, (error: unknown) => error);

async function start(): Promise<ProvingCell> {
  const controller = await startTestController();
  const router = await startHostileRouter(controller);
  const service = (await controller.createService({ dial: ['#callers'], bind: ['#hosts'] })).name;
  const host = await controller.createIdentity({ name: 'host', roleAttributes: ['hosts'] });
  const caller = await controller.createIdentity({ name: 'caller', roleAttributes: ['callers'] });
  const [hosting, calling] = await Promise.all([
    withCertificate(controller, host),
    withCertificate(controller, caller),
  ]);
  return { controller, router, host, caller, hosting, calling, service };
}
