import { randomUUID } from 'node:crypto';
import type { RouterDouble, RouterDoubleOptions } from '@edge-controller/server/router-double';
import type { ManagementCalls } from '../api/generated/calls.ts';
import { loadRouterDouble } from './load-server.ts';
import type { TestClock } from './test-clock.ts';
import type { NewRouter, TestRouter } from './test-router.ts';

interface Parts {
  readonly management: ManagementCalls;
  readonly clock: TestClock;
  readonly routersAddress: string;
  readonly onStop: (stop: () => Promise<void>) => void;
}

type Start = (changes: Partial<RouterDoubleOptions>) => Promise<RouterDouble>;

const versions = { 1: 'v1.7.2', 2: 'v2.1.0' } as const;
const policyName = 'all test routers';
const all = ['#all'];

export function createTestRouters(parts: Parts): (router?: NewRouter) => Promise<TestRouter> {
  const { management, clock, routersAddress, onStop } = parts;
  let policies: Promise<void> | null = null;
  return async ({ policies: wantsPolicies = true, heartbeatInterval, version = '1', ...body } = {}) => {
    const { RouterDouble, enrollRouter } = await loadRouterDouble();
    const name = body.name ?? `router-${randomUUID()}`;
    policies ??= wantsPolicies ? createPolicies(management) : null;
    const [{ id }] = await Promise.all([management.edgeRouters.create({ ...body, name }), policies]);
    const { enrollmentJwt } = await management.edgeRouters.get(id);
    const identity = await enrollRouter({ jwt: enrollmentJwt ?? '' });
    const start = (changes: Partial<RouterDoubleOptions>) => {
      const timings = heartbeatInterval === undefined ? {} : { apiSessionHeartbeat: heartbeatInterval };
      const said = { identity, controllers: [routersAddress], version: versions[version] };
      return RouterDouble.start({ ...said, clock: clock.now, timings, ...changes });
    };
    const router = new RunningRouter(name, start, await start({}));
    onStop(() => router.stop());
    await router.whenOnline();
    return router;
  };
}

async function createPolicies({ edgeRouterPolicies, serviceEdgeRouterPolicies }: ManagementCalls): Promise<void> {
  const query = { filter: `name = "${policyName}"` };
  const policy = { name: policyName, semantic: 'AnyOf', edgeRouterRoles: all } as const;
  // The data may be those of a controller before.
  const [ofIdentities, ofServices] = await Promise.all([
    edgeRouterPolicies.list(query),
    serviceEdgeRouterPolicies.list(query),
  ]);
  if (ofIdentities.data.length === 0) await edgeRouterPolicies.create({ ...policy, identityRoles: all });
  if (ofServices.data.length === 0) await serviceEdgeRouterPolicies.create({ ...policy, serviceRoles: all });
}

/** A double that can be started again. */
class RunningRouter implements TestRouter {
  readonly name: string;
  readonly #start: Start;
  #router: RouterDouble;

  constructor(name: string, start: Start, router: RouterDouble) {
    this.name = name;
    this.#start = start;
    this.#router = router;
  }

  get id(): string {
    return this.#router.id;
  }

  get url(): string {
    return this.#router.url;
  }

  get isOnline(): boolean {
    return this.#router.isOnline;
  }

  get state(): TestRouter['state'] {
    return this.#router.state;
  }

  whenOnline(): Promise<void> {
    return this.#router.whenOnline();
  }

  disconnect(): void {
    this.#router.disconnect();
  }

  breakLink(id: string): void {
    this.#router.breakLink(id);
  }

  stop(): Promise<void> {
    return this.#router.stop();
  }

  kill(): void {
    this.#router.kill();
  }

  async restart(): Promise<void> {
    const { port, linkPort, dataModel } = this.#router;
    await this.#router.stop();
    this.#router = await this.#start({ port, linkPort, dataModel });
    await this.#router.whenOnline();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#router.stop();
  }
}
