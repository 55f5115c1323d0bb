import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';

/** Lets faked time pass in steps, so that requests finish in between. */
export async function pass(time: number): Promise<void> {
  for (const end = Date.now() + time; Date.now() < end; ) {
    await vi.advanceTimersByTimeAsync(Math.min(10_000, end - Date.now()));
    for (let turns = 0; turns < 5; turns += 1) await turn();
  }
}

/** Frees what nobody holds. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turns = 0; turns < 5; turns += 1) {
    await turn();
    collect();
  }
}
