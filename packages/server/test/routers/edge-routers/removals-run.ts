import { setTimeout as delay } from 'node:timers/promises';
import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { expect } from 'vitest';
import { sql } from '../../support/sql.ts';
import { dial } from './raw-requests.ts';
import { enrolledRouter, RawRouter } from './raw-router.ts';
import { RemovalCell } from './removal-cell.ts';

/** Milliseconds after the response in which all connections must be closed. */
const limit = 500;
/** Milliseconds between two looks. */
const step = 5;

type SideName = 'host' | 'dialer';

interface Removal {
  readonly sides: readonly SideName[];
  readonly apply: (cell: RemovalCell, side: SideName) => Promise<unknown>;
}

const both = ['host', 'dialer'] as const;
const dialer = ['dialer'] as const;
const host = ['host'] as const;

/** What takes a right away from one cell. */
const removals = {
  session: { sides: both, apply: (cell, side) => cell.removeSession(side) },
  'API session': { sides: both, apply: (cell, side) => cell.removeApiSession(side) },
  'identity, deleted': { sides: both, apply: (cell, side) => cell.deleteIdentity(side) },
  'identity, disabled': { sides: both, apply: (cell, side) => cell.disableIdentity(side) },
  'service policy': { sides: both, apply: (cell, side) => cell.takePolicy(side) },
  'role attribute': { sides: dialer, apply: (cell) => cell.takeAttribute() },
  service: { sides: dialer, apply: (cell) => cell.deleteService() },
  posture: { sides: dialer, apply: (cell) => cell.leaveDomain() },
  'edge router policy': { sides: both, apply: (cell, side) => cell.takeRouterPolicy(side) },
  'role attribute for a router': { sides: both, apply: (cell, side) => cell.takeAttributeForRouter(side) },
  'role attribute of the router': { sides: both, apply: (cell, side) => cell.takeAttributeOfRouter(side) },
  'service edge router policy': { sides: host, apply: (cell) => cell.takeServiceRouterPolicy() },
  'role attribute of the service': { sides: host, apply: (cell) => cell.takeAttributeOfService() },
} as const satisfies Record<string, Removal>;

export type RemovalKind = keyof typeof removals | 'router, disabled';
export const removalKinds = [...Object.keys(removals), 'router, disabled'] as readonly RemovalKind[];

interface Options {
  readonly cells: number;
  /** Connections of a cell. */
  readonly connections: number;
}

/** Two routers, and cells whose connections lead through one of them or both. */
export class RemovalsRun {
  readonly #controller: TestController;
  readonly #options: Options;
  readonly #routers: readonly [TestRouter, TestRouter];
  /** A third one that opens nothing: it asks the controller with the tokens of before. */
  readonly #probe: RawRouter;
  #cells: RemovalCell[] = [];
  #names = 0;
  /** The slowest of the connections that were closed, in milliseconds after the response. */
  slowest = 0;
  /** How many connections were closed. */
  closed = 0;

  private constructor(
    controller: TestController,
    options: Options,
    routers: readonly [TestRouter, TestRouter],
    probe: RawRouter,
  ) {
    this.#controller = controller;
    this.#options = options;
    this.#routers = routers;
    this.#probe = probe;
  }

  static async start(controller: TestController, options: Options): Promise<RemovalsRun> {
    const routers = [
      await controller.startRouter({ policies: false }),
      await controller.startRouter({ policies: false }),
    ] as const;
    const probe = await RawRouter.open(controller, await enrolledRouter(controller));
    const run = new RemovalsRun(controller, options, routers, probe);
    await run.#linked();
    for (let at = 0; at < options.cells; at += 1) run.#cells.push(await run.#newCell(at));
    return run;
  }

  /** The cells. */
  get size(): number {
    return this.#cells.length;
  }

  /** Takes something away, and checks what it ends. */
  async remove(kind: RemovalKind, at: number): Promise<void> {
    if (kind === 'router, disabled') await this.#disableRouter(at % 2);
    else await this.#removeOfCell(kind, at);
  }

  /** Ends everything, and checks that nothing is left in the stores. */
  async end(stores: Parameters<typeof sql>[0]): Promise<void> {
    await this.checkStores(stores);
    for (const cell of this.#cells) await cell.end();
    await expect
      .poll(async () => (await this.#controller.admin.management.circuits.list()).data, { timeout: 5_000 })
      .toEqual([]);
    await expect.poll(() => sql(stores, 'select * from "terminators"')).toEqual([]);
    expect(await sql(stores, 'select * from "terminatorHosts"')).toEqual([]);
    expect((await this.#controller.admin.management.sessions.list()).data).toEqual([]);
    for (const { state } of this.#routers)
      expect(state).toMatchObject({ applications: 0, connections: 0, terminators: [] });
    this.#probe.close();
  }

  /** Each terminator has its host, and a session that lives. */
  async checkStores(stores: Parameters<typeof sql>[0]): Promise<void> {
    const rows = async (statement: string) =>
      (await sql(stores, statement)).map((row) => String(Object.values(row)[0])).sort();
    await expect
      .poll(
        async () => {
          const { data } = await this.#controller.admin.management.sessions.list({
            filter: 'type = "Bind"',
            limit: 500,
          });
          const live = data.map(({ id }) => id);
          return (await rows('select "sessionId" from "terminatorHosts"')).filter((id) => !live.includes(id));
        },
        { timeout: 2_000 },
      )
      .toEqual([]);
    expect(await rows('select "terminatorId" from "terminatorHosts"')).toEqual(
      await rows('select "id" from "terminators"'),
    );
  }

  async #removeOfCell(kind: keyof typeof removals, at: number): Promise<void> {
    const cell = this.#cells[at];
    if (!cell) throw new RangeError(`there is no cell ${at}`);
    const { sides, apply }: Removal = removals[kind];
    const side = sides[Math.floor(Math.random() * sides.length)] ?? 'dialer';
    const what = `${kind} of the ${side}`;
    const dialing = { sessionToken: await cell.sessionToken('dialer'), apiSessionToken: cell.dialer.token };
    // Of a session alone, the rest stays: both may open the next one.
    const mayDial = kind === 'session';
    const opening = Array.from({ length: mayDial ? 0 : 3 }, () => cell.open().catch(() => undefined));
    if (Math.random() < 0.5) await delay(Math.random() * 10);
    const before = cell.live;
    await apply(cell, side);
    const answeredAt = performance.now();
    const closed = this.#expectClosed([cell], what, answeredAt);
    const refused = (async () => {
      expect(await dial(this.#probe, dialing), what).toMatchObject({ code: expect.any(Number) });
      if (!mayDial) await expect(cell.dialer.edge.dial(cell.serviceId, { timeout: 300 }), what).rejects.toThrow();
    })();
    await Promise.all([closed, refused, ...opening]);
    // Those that were being opened.
    if (!mayDial) await this.#expectClosed([cell], what, answeredAt);
    this.#countClosed(before);
    if (side === 'host' && !mayDial) await expect.poll(() => cell.terminators()).toEqual([]);
    this.#expectOthers([cell], what);
    await cell.end();
    this.#cells[at] = await this.#newCell(at);
  }

  async #disableRouter(index: number): Promise<void> {
    const { edgeRouters } = this.#controller.admin.management;
    const what = 'router, disabled';
    const router = this.#routers[index] ?? this.#routers[0];
    const uses = ({ host, dialer: other }: RemovalCell) => [host.routerId, other.routerId].includes(router.id);
    const affected = this.#cells.filter(uses);
    const before = affected.flatMap((cell) => cell.live);
    await edgeRouters.patch(router.id, { disabled: true });
    await this.#expectClosed(affected, what, performance.now());
    this.#countClosed(before);
    this.#expectOthers(affected, what);
    const dials = affected.map((cell) => cell.dialer.edge.dial(cell.serviceId, { timeout: 300 }));
    expect((await Promise.allSettled(dials)).map(({ status }) => status)).toEqual(affected.map(() => 'rejected'));
    await edgeRouters.patch(router.id, { disabled: false });
    await router.whenOnline();
    await this.#linked();
    for (const [at, cell] of this.#cells.entries()) {
      if (!uses(cell)) continue;
      await cell.end();
      this.#cells[at] = await this.#newCell(at);
    }
  }

  /** Some are closed before the response. */
  #countClosed(ends: RemovalCell['live']): void {
    this.closed += ends.filter(({ closedAt }) => closedAt !== null).length / 2;
  }

  /** What is open now must be closed soon after the response, at both ends. While this process stands still, nobody sees it. */
  async #expectClosed(cells: readonly RemovalCell[], what: string, answeredAt: number): Promise<void> {
    const ends = cells.flatMap((cell) => cell.live);
    let [stood, lookedAt] = [0, performance.now()];
    while (ends.some(({ closedAt }) => closedAt === null) && performance.now() - answeredAt < limit + stood) {
      await delay(step);
      stood = Math.max(stood, performance.now() - lookedAt - step);
      lookedAt = performance.now();
    }
    const times = ends.map(({ closedAt }) => (closedAt ?? Number.POSITIVE_INFINITY) - answeredAt);
    this.slowest = Math.max(this.slowest, ...times);
    const late = times.filter((time) => time > limit + stood).length;
    expect(late, `${what}: of ${times.length} ends, after ${stood} ms in which the process stood still`).toBe(0);
  }

  /** Nobody else loses anything. */
  #expectOthers(cells: readonly RemovalCell[], what: string): void {
    const others = this.#cells.filter((cell) => !cells.includes(cell));
    const lost = others.filter((cell) => !cell.hasConnections(this.#options.connections));
    expect(
      lost.map(({ name }) => name),
      what,
    ).toEqual([]);
  }

  async #newCell(at: number): Promise<RemovalCell> {
    this.#names += 1;
    const [one, other] = this.#routers;
    const routers = {
      dialer: (at % 2 === 0 ? one : other).id,
      host: (at % 4 < 2 ? one : other).id,
      probe: this.#probe.id,
    };
    const cell = await RemovalCell.create({ controller: this.#controller, name: `cell-${this.#names}`, routers });
    await Promise.all(Array.from({ length: this.#options.connections }, () => cell.open()));
    await expect.poll(() => cell.hasConnections(this.#options.connections)).toBe(true);
    return cell;
  }

  async #linked(): Promise<void> {
    const [one, other] = this.#routers;
    await expect
      .poll(() => one.state.links.some(({ routerId }) => routerId === other.id), { timeout: 5_000 })
      .toBe(true);
    await expect
      .poll(async () => (await this.#controller.admin.management.links.list()).data.length, { timeout: 5_000 })
      .toBeGreaterThan(0);
  }
}
