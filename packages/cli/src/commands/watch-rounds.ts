import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { usageError } from '../errors/cli-error.ts';
import { openClient } from '../profiles/open-client.ts';

export interface WatchFlags {
  readonly filter?: string;
  readonly interval?: string;
  readonly output?: 'text' | 'json';
  readonly profile?: string;
}

/** Asks the controller every so often, until Ctrl+C. */
export async function watchRounds(
  { interval, profile }: Pick<WatchFlags, 'interval' | 'profile'>,
  round: (edge: NodeEdgeClient) => Promise<void>,
): Promise<void> {
  const seconds = Number(interval ?? 2);
  if (!(seconds >= 0.2 && seconds <= 3_600)) throw usageError('--interval: must be 0.2 to 3600 seconds');
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  const edge = await openClient(profile);
  try {
    while (!stopped.signal.aborted) {
      await round(edge);
      await sleep(seconds * 1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  } finally {
    edge.dispose();
  }
}
