import { setTimeout as sleep } from 'node:timers/promises';
import { listRows } from '../api/list-rows.ts';
import { usageError } from '../errors/cli-error.ts';
import type { Row } from '../lib/value-at.ts';
import { isRow, textOf, valueAt } from '../lib/value-at.ts';
import { print, printable, styled } from '../output/terminal.ts';
import { openClient } from '../profiles/open-client.ts';

interface WatchFlags {
  readonly filter?: string;
  readonly interval?: string;
  readonly output?: 'text' | 'json';
  readonly profile?: string;
}

/** Prints each API session that begins or ends, until Ctrl+C. */
export async function watchSessions({ filter, interval, output, profile }: WatchFlags): Promise<void> {
  const seconds = Number(interval ?? 2);
  if (!(seconds >= 0.2 && seconds <= 3_600)) throw usageError('--interval: must be 0.2 to 3600 seconds');
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  const edge = await openClient(profile);
  const show = (event: 'began' | 'ended', session: Row) => print(lineOf(event, session, output === 'json'));
  let known = new Map<string, Row>();
  try {
    while (!stopped.signal.aborted) {
      const { rows } = await listRows(edge, (query) => edge.management.apiSessions.list(query), {
        filter,
        limit: 'all',
      });
      const now = new Map(rows.filter(isRow).map((row) => [textOf(row.id), row]));
      for (const [id, row] of now) if (!known.has(id)) show('began', row);
      for (const [id, row] of known) if (!now.has(id)) show('ended', row);
      known = now;
      await sleep(seconds * 1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  } finally {
    edge.dispose();
  }
}

function lineOf(event: 'began' | 'ended', session: Row, isJson: boolean): string {
  const at = event === 'began' ? textOf(session.createdAt) : new Date().toISOString();
  const identity = textOf(valueAt(session, 'identity.name'));
  const { id, ipAddress } = session;
  if (isJson) return JSON.stringify({ event, at, id, identity, ipAddress });
  const sign = event === 'began' ? styled('green', '+') : styled('red', '-');
  return `${at} ${sign} ${[identity, textOf(ipAddress), textOf(id)].map(printable).join('  ')}`;
}
