import type { Clock } from '../../lib/clock.ts';
import type { LiveApiSession } from '../session-store.ts';
import type { Run } from './connection.ts';
import type { SessionIndex } from './index-of-sessions.ts';
import { createSessionIndex } from './index-of-sessions.ts';
import type { Member, RedisKeys } from './keys.ts';
import { inCalls } from './scripts.ts';
import { parseRecord } from './stored-record.ts';

/** Finds and reads sessions over one connection, without touching them. */
export interface SessionReader {
  readonly index: SessionIndex;
  /** The sessions of these members that live. */
  load(members: readonly Member[]): Promise<readonly LiveApiSession[]>;
}

export function createSessionReader({ run, keys, clock }: { run: Run; keys: RedisKeys; clock: Clock }): SessionReader {
  return {
    index: createSessionIndex({ run, keys, clock }),

    async load(members) {
      if (members.length === 0) return [];
      const calls = inCalls(members.map(({ tokenHash }) => keys.session(tokenHash)));
      const read = await run((client) => Promise.all(calls.map((some) => client.readSessions(some))));
      const now = clock();
      return read.flat().flatMap(({ text, left }) => {
        if (text === null || left < 0) return [];
        // The TTL counts down from the timeout of the last touch, whatever the setting is now.
        const { timeout: used, ...record } = parseRecord(text);
        return [{ ...record, lastActivityAt: now + left - used, expiresAt: now + left }];
      });
    },
  };
}
