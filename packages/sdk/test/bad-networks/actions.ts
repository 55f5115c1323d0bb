import { setTimeout as sleep } from 'node:timers/promises';
import type { Tab, World } from './open-world.ts';

interface ActionParts {
  readonly world: World;
  readonly random: () => number;
  /** Runs what need not finish before the next action. */
  readonly start: (work: () => Promise<unknown>) => void;
}

interface Action {
  /** How often it is chosen, compared to the others. A whole number. */
  readonly weight: number;
  readonly run: (tab: Tab) => unknown;
}

const maxTabs = 3;
/** Milliseconds by which the clock of the machine is set forwards or back at most. */
const maxJump = 2 * 60 * 60_000;

export const signInWith = (tab: Tab, { username, password }: World) =>
  tab.run((page, [name, secret]) => page.signIn(name, secret), [username, password] as const);

/** The token that all tabs share. */
export const storedToken = async (tab: Tab) => tab.run((page) => page.stored());

/** What happens to tabs, to the network, to the machine and to the controller. */
export function actionsOf({ world, random, start }: ActionParts): Readonly<Record<string, Action>> {
  const frozen = () => [...world.tabs].filter(({ isFrozen }) => isFrozen);
  const thawAll = () => Promise.all(frozen().map((tab) => tab.setFrozen(false)));

  return {
    rest: { weight: 4, run: () => sleep(random() * 2_500) },
    use: { weight: 16, run: (tab) => start(() => tab.run((page) => page.use())) },
    useElsewhere: { weight: 6, run: async (tab) => world.touchElsewhere(await storedToken(tab)) },
    reload: { weight: 4, run: (tab) => tab.reload() },
    openTab: {
      weight: 2,
      run: async () => world.tabs.size < maxTabs && world.condition() !== 'offline' && world.openTab(),
    },
    closeTab: { weight: 2, run: async (tab) => world.tabs.size - frozen().length > 1 && tab.close() },
    hide: { weight: 2, run: (tab) => tab.setHidden(!tab.isHidden) },
    freezeTab: { weight: 4, run: async (tab) => world.tabs.size - frozen().length > 1 && tab.setFrozen(true) },
    thawTabs: { weight: 4, run: thawAll },
    /** The machine sleeps, and the network comes back before or after the tabs. */
    sleepOfMachine: {
      weight: 4,
      async run() {
        await Promise.all([...world.tabs].map((tab) => tab.setFrozen(true)));
        await world.become('offline');
        await sleep(500 + random() * 6_000);
        if (random() < 0.5) await world.become('up');
        await thawAll();
        await sleep(random() * 1_000);
        await world.become('up');
      },
    },
    jumpOfClock: { weight: 2, run: (tab) => tab.run((page, jump) => page.jump(jump), (random() - 0.5) * 2 * maxJump) },
    offline: { weight: 4, run: () => world.become('offline') },
    away: { weight: 4, run: () => world.become('away') },
    slow: { weight: 2, run: () => world.become('slow') },
    lossy: { weight: 2, run: () => world.become('lossy') },
    up: { weight: 12, run: () => world.become('up') },
    restart: { weight: 2, run: () => world.restart() },
    signOut: { weight: 1, run: (tab) => start(() => tab.run((page) => page.signOut())) },
    signIn: { weight: 1, run: (tab) => start(() => signInWith(tab, world)) },
  };
}
