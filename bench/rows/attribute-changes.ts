import { call } from '../call.ts';
import type { Network } from '../network.ts';
import { onBothStores } from '../network.ts';
import type { Contender, Figures } from '../rounds.ts';
import { inRounds, median } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';

/** How long a change of the role attributes of one identity takes, with few policies and with many. */
export const attributeChanges: Row = async (bench) => {
  await onBothStores(bench.processes, async (stores, start) => {
    const [few, many] = [await start(100), await start(1_000)];
    const contest = [changes('100 service policies', few), changes('1,000 service policies', many)] as const;
    printTable(`changes of the attributes of one identity on ${stores}`, await inRounds(contest, bench));
  });
};

function changes(name: string, { url, token, user, cpu }: Network): Contender {
  return {
    name,
    async measure(seconds): Promise<Figures> {
      const times: number[] = [];
      const before = await cpu();
      for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
        const body = JSON.stringify({ roleAttributes: ['a0', `a${times.length % 1_000}`] });
        const startedAt = performance.now();
        await call(`${url}/edge/management/v1/identities/${user.id}`, { method: 'PATCH', token, body });
        times.push(performance.now() - startedAt);
      }
      return { time: median(times), cpu: ((await cpu()) - before) / times.length };
    },
  };
}
