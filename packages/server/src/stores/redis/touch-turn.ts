import type { Clock } from '../../lib/clock.ts';
import type { SessionStore } from '../session-store.ts';
import type { Waiting } from '../waiting-touch.ts';
import type { RedisConnection } from './connection.ts';
import type { RedisKeys } from './keys.ts';
import { inCalls } from './scripts.ts';
import type { StoredRecord } from './stored-record.ts';
import { parseRecord } from './stored-record.ts';

/** `touch`: all of an event-loop turn in one round trip, with one read of the version that is sent when all are known. */
export function createTouch({
  connection,
  keys,
  timeout,
  clock,
  change,
}: {
  connection: RedisConnection;
  keys: RedisKeys;
  timeout: number;
  clock: Clock;
  /** Replaces members of a record. */
  change: (tokenHash: string, members: Partial<StoredRecord>) => Promise<unknown>;
}): SessionStore['touch'] {
  let turn: Waiting[] | null = null;

  const beginTurn = (): Waiting[] => {
    const batch: Waiting[] = [];
    const endTurn = () => {
      if (turn === batch) turn = null;
    };
    connection
      .run((client) => {
        const records = new Promise<readonly (string | null)[]>((resolve, reject) => {
          setImmediate(() => {
            endTurn();
            const calls = inCalls(batch.map(({ tokenHash }) => keys.session(tokenHash)));
            Promise.all(calls.map((some) => client.touchSessions(some, timeout))).then(
              (found) => resolve(found.flat()),
              reject,
            );
          });
        });
        // The client writes in an immediate of its own, made here: after the one above, in the same turn.
        return Promise.all([records, client.get(keys.version)]);
      })
      .then(
        ([records, counter]) => {
          const version = `${connection.epoch()}:${counter ?? ''}`;
          for (const [at, touch] of batch.entries()) settle(touch, records[at] ?? null, version);
        },
        (error) => {
          endTurn();
          for (const { reject } of batch) reject(error);
        },
      );
    return batch;
  };

  const settle = ({ tokenHash, resolve, reject }: Waiting, text: string | null, version: string) => {
    if (text === null) return resolve({ session: null, version });
    const now = clock();
    const record = parseRecord(text);
    const session = Object.assign(record, { lastActivityAt: now, expiresAt: now + timeout });
    // The setting was changed since this session was written.
    if (record.timeout !== timeout) change(tokenHash, { timeout }).then(() => resolve({ session, version }), reject);
    else resolve({ session, version });
  };

  return (tokenHash) =>
    new Promise((resolve, reject) => {
      turn ??= beginTurn();
      turn.push({ tokenHash, resolve, reject });
    });
}
