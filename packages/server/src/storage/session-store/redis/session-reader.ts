import { expiryOf, isPastEnd } from '../session-end.ts';
import type { LiveApiSession } from '../session-store.ts';
import type { Member } from './keys.ts';
import { splitIntoCalls } from './scripts.ts';
import type { IndexParts } from './session-index.ts';
import { SessionIndex } from './session-index.ts';
import type { RecordCodec, StoredRecord } from './stored-record.ts';
import { readUnverified } from './stored-record.ts';

/** Finds and reads sessions over one connection. It does not reset their timeout. */
export interface SessionReader {
  readonly index: SessionIndex;
  /** Reads the sessions of these members. Leaves out those that no longer exist, and those whose seal is wrong. */
  load(members: readonly Stored[]): Promise<readonly LiveApiSession[]>;
  /** The same without a check of the seals, which takes long for many sessions. Only to find out which ones to load. */
  peek(members: readonly Stored[]): Promise<readonly LiveApiSession[]>;
}

type Stored = Pick<Member, 'tokenHash'>;
type ReadRecord = (text: string, stored: Stored) => StoredRecord | null;

export function createSessionReader({ codec, ...parts }: IndexParts & { readonly codec: RecordCodec }): SessionReader {
  const { run, keys, clock } = parts;
  const read = async (members: readonly Stored[], readRecord: ReadRecord): Promise<readonly LiveApiSession[]> => {
    if (members.length === 0) return [];
    const calls = splitIntoCalls(members.map(({ tokenHash }) => keys.session(tokenHash)));
    const found = (await run((client) => Promise.all(calls.map((callKeys) => client.readSessions(callKeys))))).flat();
    const now = clock();
    return members.flatMap((member, at) => {
      const { text = null, remaining = -1, touchedAt = null } = found[at] ?? {};
      const stored = text === null || remaining < 0 ? null : readRecord(text, member);
      if (!stored || isPastEnd(stored, now)) return [];
      // The record has the timeout of the last touch. The setting may have changed since then.
      const { timeout, ...record } = stored;
      const lastActivityAt = Math.max(touchedAt ?? 0, now + remaining - timeout);
      return [{ ...record, lastActivityAt, expiresAt: expiryOf(record, now + remaining) }];
    });
  };

  return {
    index: new SessionIndex(parts),
    load: (members) => read(members, (text, { tokenHash }) => codec.read(text, tokenHash)),
    peek: (members) => read(members, readUnverified),
  };
}
