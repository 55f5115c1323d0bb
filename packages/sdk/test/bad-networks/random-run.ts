import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { actionsOf, signInWith, storedToken } from './actions.ts';
import { judgeEvents, lateness } from './judge-events.ts';
import type { World } from './open-world.ts';
import { openWorld } from './open-world.ts';

/** Milliseconds for a client to recover: its pauses grow while nothing answers. */
const recovery = 20_000;
const actionCount = 18;

export interface RunResult {
  readonly seed: number;
  readonly faults: readonly string[];
  /** What happened, in its order. */
  readonly log: readonly string[];
  readonly uses: number;
}

interface RunParts {
  readonly browser: Browser;
  readonly files: ReadonlyMap<string, string>;
  readonly seed: number;
  /** Changes what clients ask, to show that the runs find it. */
  readonly rewrite?: ((path: string) => string) | undefined;
}

/** Does random things to a browser with tabs, then calms the world and looks whether every tab is right. */
export async function randomRun({ browser, files, seed, rewrite }: RunParts): Promise<RunResult> {
  const random = randomOf(seed);
  const world = await openWorld({ browser, files, random, rewrite });
  const run = new RandomRun(world, random);
  try {
    await run.begin();
    for (let action = 0; action < actionCount; action += 1) await run.act();
    await run.calm();
    await run.mustAgree();
    await run.mustEndOnTime();
  } catch (error) {
    run.fault(`the run stopped: ${error}`);
  } finally {
    await world.close();
  }
  const faults = [...run.faults, ...world.truth.faults(), ...judgeEvents(world)];
  const reported = world.events.map(
    ({ at, tab, name, state, sessionId }) => [at, `tab ${tab}: ${name}, ${state} (${sessionId})`] as const,
  );
  const log = [...run.log, ...reported].sort(([a], [b]) => a - b).map(([at, text]) => `${at.toFixed()} ${text}`);
  return { seed, faults, log, uses: world.truth.uses() };
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class RandomRun {
  readonly faults: string[] = [];
  readonly log: (readonly [at: number, text: string])[] = [];
  readonly #world: World;
  readonly #random: () => number;
  readonly #actions: ReturnType<typeof actionsOf>;
  readonly #running = new Set<Promise<unknown>>();

  constructor(world: World, random: () => number) {
    this.#world = world;
    this.#random = random;
    // A tab may be closed or reloaded meanwhile.
    const start = (work: () => Promise<unknown>) => void this.#running.add(work().catch(() => undefined));
    this.#actions = actionsOf({ world, random, start });
  }

  fault(text: string): void {
    this.faults.push(text);
  }

  async begin(): Promise<void> {
    const tab = await this.#world.openTab();
    await this.#world.openTab();
    await signInWith(tab, this.#world);
  }

  async act(): Promise<void> {
    const awake = [...this.#world.tabs].filter(({ isFrozen }) => !isFrozen);
    const tab = awake[Math.floor(this.#random() * awake.length)];
    const actions = Object.entries(this.#actions);
    const places = actions.flatMap((entry) => Array.from({ length: entry[1].weight }, () => entry));
    const [name, action] = places[Math.floor(this.#random() * places.length)] ?? [];
    this.log.push([Date.now(), `${name} ${tab ? `tab ${tab.number}` : ''}`]);
    if (tab && action) await action.run(tab);
    await sleep(100 + this.#random() * 900);
  }

  /** The network and everybody is back. */
  async calm(): Promise<void> {
    const { tabs, become } = this.#world;
    this.log.push([Date.now(), 'calm']);
    await Promise.all([...tabs].filter(({ isFrozen }) => isFrozen).map((tab) => tab.setFrozen(false)));
    await become('up');
    await Promise.all([...tabs].filter(({ isHidden }) => isHidden).map((tab) => tab.setHidden(false)));
    await Promise.all(this.#running);
  }

  /** While somebody uses the session, every tab must find it. When there is none, every tab must see a sign-in. */
  async mustAgree(): Promise<void> {
    const { tabs, truth, touchElsewhere } = this.#world;
    const [first] = tabs;
    if (!first) return this.fault('no tab');
    const stored = truth.byToken(await storedToken(first));
    if (!stored || !truth.isAlive(stored.id, Date.now() + 500)) await signInWith(first, this.#world);
    const token = await storedToken(first);
    const id = truth.byToken(token)?.id;
    for (const end = Date.now() + recovery; ; await sleep(300)) {
      await touchElsewhere(token);
      const views = await Promise.all([...tabs].map((tab) => tab.run((page) => page.view())));
      if (views.every(({ state, sessionId }) => state === 'active' && sessionId === id)) return;
      if (Date.now() > end) return this.fault(`tabs differ from the controller: ${id} ${JSON.stringify(views)}`);
    }
  }

  /** After the last use all tabs know the end, warn once, and see it. */
  async mustEndOnTime(): Promise<void> {
    const { tabs, truth, events, isKnown } = this.#world;
    const [first] = tabs;
    const { id, token } = truth.byToken(first ? await storedToken(first) : null) ?? {};
    if (!first || !id || !token) return this.fault('no session to end');
    await first.run((page) => page.use());
    const seen = events.length;
    this.log.push([Date.now(), 'nobody uses the session any more']);
    await sleep(1_600);
    const end = truth.end(id);
    for (const tab of tabs) {
      const { left } = await tab.run((page) => page.view());
      const is = end.to - Date.now();
      if (Math.abs(Number(left) - is) > lateness) this.fault(`tab ${tab.number} has ${left} ms left instead of ${is}`);
    }
    await sleep(Math.max(0, end.from - 400 - Date.now()));
    if (!(await isKnown(token)) && Date.now() < end.from) this.fault('the session ended before its time');
    await sleep(Math.max(0, end.to + 400 - Date.now()));
    if (await isKnown(token)) this.fault('the session was extended without a use');
    await sleep(3_000);
    for (const tab of tabs) {
      const reported = events.slice(seen).filter((event) => event.tab === tab.number && event.name !== 'stateChange');
      const names = reported.map(({ name }) => name).join(' ');
      const { state } = await tab.run((page) => page.view());
      if (names !== 'expiring expired' || state !== 'expired')
        this.fault(`at the end tab ${tab.number} reported "${names}" and is ${state}`);
    }
  }
}
