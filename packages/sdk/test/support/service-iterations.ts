import type { EdgeClient, EdgeClientOptions, ServiceChangesOptions } from '../../src/index.ts';
import { createEdgeClient } from '../../src/index.ts';
import { pass } from './pass-time.ts';
import { servicesController } from './services-controller.ts';

export const alice = { username: 'alice', password: 'a password' };
export const poll = 'GET current-api-session/service-updates';

/** Loads what iterations need. Call it before the time stands still. */
export async function loadIterations(): Promise<void> {
  await Promise.all([import('../../src/chunks/session.ts'), import('../../src/chunks/rest.ts')]);
}

type Controller = ReturnType<typeof servicesController>;

export async function signedIn(options: EdgeClientOptions = {}, controller: Controller = servicesController()) {
  const edge = createEdgeClient(controller.url, { fetch: controller.fetch, retries: 0, ...options });
  await edge.signIn.password(alice);
  await pass(1);
  return { edge, controller };
}

export const namesOf = (services: readonly { readonly id: string }[]) => services.map(({ id }) => id).join();

/** Iterates in the background, and notes what it gets. `ended`: its error, or that it has none. */
export function iterate(edge: EdgeClient, options?: ServiceChangesOptions) {
  const lists: string[] = [];
  async function run(): Promise<unknown> {
    for await (const services of edge.services.changes(options)) lists.push(namesOf(services));
    return 'ended';
  }
  const ended = run().catch((error: unknown) => error);
  return { lists, ended };
}
