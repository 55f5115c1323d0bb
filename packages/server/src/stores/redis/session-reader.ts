import type { Clock } from '../../lib/clock.ts';
import type { LiveApiSession } from '../session-store.ts';
import type { Run } from './connection.ts';
import type { Member, RedisKeys } from './keys.ts';
import { splitIntoCalls } from './scripts.ts';
import type { SessionIndex } from './session-index.ts';
import { createSessionIndex } from './session-index.ts';
import { parseRecord } from './stored-record.ts';

/** Finds and reads sessions over one connection. It does not reset their timeout. */
export interface SessionReader {
  readonly index: SessionIndex;
  /** Reads the sessions of these members. Leaves out those that no longer exist. */
  load(members: readonly Member[]): Promise<readonly LiveApiSession[]>;
}

export function createSessionReader({ run, keys, clock }: { run: Run; keys: RedisKeys; clock: Clock }): SessionReader {
  return {
    index: createSessionIndex({ run, keys, clock }),

    async load(members) {
      if (members.length === 0) return [];
      const calls = splitIntoCalls(members.map(({ tokenHash }) => keys.session(tokenHash)));
      const read = await run((client) => Promise.all(calls.map((callKeys) => client.readSessions(callKeys))));
      const now = clock();
      return read.flat().flatMap(({ text, remaining }) => {
        if (text === null || remaining < 0) return [];
        // The record has the timeout of the last touch. The setting may have changed since then.
        const { timeout, ...record } = parseRecord(text);
        return [{ ...record, lastActivityAt: now + remaining - timeout, expiresAt: now + remaining }];
      });
    },
  };
}
