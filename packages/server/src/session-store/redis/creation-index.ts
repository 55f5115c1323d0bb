import type { Member, RedisKeys } from './keys.ts';
import { memberText, parseMember } from './keys.ts';
import type { Run } from './scripts.ts';
import { batchSize } from './session-index.ts';
import type { SessionReader } from './session-reader.ts';

/** Milliseconds between two repairs that read the whole index. */
const fullRepairInterval = 600_000;

/** An order by the time of creation. Sessions of the same millisecond are in the order of their ids. */
export interface CreationOrder {
  readonly isDescending: boolean;
  readonly isDescendingId: boolean;
}

interface Scored {
  readonly value: string;
  readonly score: number;
}

/** The index by time of creation. */
export interface CreationIndex {
  /** The members at the positions from `offset` to `offset + length`, of all sessions in this order. */
  slice(order: CreationOrder, offset: number, length: number): Promise<readonly Member[]>;
  /** The times of creation. `null` for a session that does not exist. */
  timesOf(members: readonly Member[]): Promise<readonly (number | null)[]>;
  /**
   * Adds the sessions that are missing, and removes the members that are in no other index. A version of the
   * controller without this index leaves both behind. When the counts of both indexes agree, it reads nothing else, but for
   * the first repair and one every ten minutes: that version may have added as many as it removed. Only one runs at a time.
   */
  repair(): Promise<void>;
}

/**
 * Creates the index by time of creation.
 *
 * @param run for pages
 * @param scanRun for long scans, which have a connection of their own
 * @param scanReader on the same connection as `scanRun`
 */
export function createCreationIndex({
  run,
  scanRun,
  scanReader,
  keys,
}: {
  run: Run;
  scanRun: Run;
  scanReader: SessionReader;
  keys: RedisKeys;
}): CreationIndex {
  const sliceInOrderOfIndex = (isDescending: boolean, start: number, end: number): Promise<readonly Scored[]> =>
    end <= start
      ? Promise.resolve([])
      : run((client) => client.zRangeWithScores(keys.created, start, end - 1, { REV: isDescending }));

  /** The positions of the first and the one after the last member with this score. */
  const boundsOf = (isDescending: boolean, score: number): Promise<readonly [number, number]> =>
    run((client) =>
      isDescending
        ? Promise.all([client.zCount(keys.created, `(${score}`, '+inf'), client.zCount(keys.created, score, '+inf')])
        : Promise.all([client.zCount(keys.created, '-inf', `(${score}`), client.zCount(keys.created, '-inf', score)]),
    );

  /** Redis turns ids around together with the scores. So members with the same score are read from the other end. */
  const sliceWithIdsTurned = async (isDescending: boolean, offset: number, length: number) => {
    const page = await sliceInOrderOfIndex(isDescending, offset, offset + length);
    const [first, last] = [page[0], page.at(-1)];
    if (!first || !last) return [];
    const end = offset + page.length;
    const [[firstStart, firstEnd], [lastStart, lastEnd]] = await Promise.all([
      boundsOf(isDescending, first.score),
      boundsOf(isDescending, last.score),
    ]);
    const read = (from: number, to: number) => sliceInOrderOfIndex(isDescending, Math.max(from, 0), to);
    if (first.score === last.score)
      return turnTies(await read(firstStart + firstEnd - end, firstStart + firstEnd - offset));
    const [head, tail] = await Promise.all([
      read(firstStart, firstStart + firstEnd - offset),
      read(lastStart + lastEnd - end, lastEnd),
    ]);
    return turnTies([...head, ...page.slice(firstEnd - offset, lastStart - offset), ...tail]);
  };

  const scoresOf = (key: string, members: readonly Member[]) =>
    scanRun((client) => client.zmScore(key, members.map(memberText)));

  /** The members that are not in the index `key`. */
  const missingIn = async (key: string, members: readonly Member[]): Promise<readonly Member[]> => {
    const scores = await scoresOf(key, members);
    return members.filter((_, at) => scores[at] === null);
  };

  const removeUnlessIn = async (members: readonly Member[]) => {
    const gone = await missingIn(keys.ids, members);
    if (gone.length > 0) await scanRun((client) => client.zRem(keys.created, gone.map(memberText)));
  };

  const addMissing = async (members: readonly Member[]) => {
    const missing = await missingIn(keys.created, members);
    const sessions = await scanReader.load(missing);
    if (sessions.length === 0) return;
    const scored = sessions.map((session) => ({ score: session.createdAt, value: memberText(session) }));
    await scanRun((client) => client.zAdd(keys.created, scored));
    // Another process may have removed a session since it was read.
    await removeUnlessIn(sessions);
  };

  const counts = () => run((client) => Promise.all([client.zCard(keys.ids), client.zCard(keys.created)]));

  const removeGone = async (length: number) => {
    for (let end = length; end > 0; end -= batchSize) {
      const texts = await scanRun((client) => client.zRange(keys.created, Math.max(end - batchSize, 0), end - 1));
      await removeUnlessIn(texts.map(parseMember));
    }
  };

  const repairAll = async () => {
    for await (const members of scanReader.index.batches({ key: keys.ids })) await addMissing(members);
    const [sessions, members] = await counts();
    if (members > sessions) await removeGone(members);
  };

  let nextFull = 0;
  const repair = async () => {
    const startedAt = performance.now();
    const [expected, present] = await counts();
    if (expected === present && startedAt < nextFull) return;
    if (expected > 0 || present > 0) await repairAll();
    nextFull = startedAt + fullRepairInterval;
  };
  let repairing: Promise<void> | null = null;

  return {
    async slice({ isDescending, isDescendingId }, offset, length) {
      const scored =
        isDescending === isDescendingId
          ? await sliceInOrderOfIndex(isDescending, offset, offset + length)
          : await sliceWithIdsTurned(isDescending, offset, length);
      return scored.map(({ value }) => parseMember(value));
    },

    async timesOf(members) {
      const times = await scoresOf(keys.created, members);
      const missing = await scanReader.load(members.filter((_, at) => times[at] === null));
      const added = new Map(missing.map(({ id, createdAt }) => [id, createdAt]));
      return members.map(({ id }, at) => times[at] ?? added.get(id) ?? null);
    },

    repair() {
      repairing ??= repair().finally(() => {
        repairing = null;
      });
      return repairing;
    },
  };
}

/** Turns the members of each score around. */
function turnTies(scored: readonly Scored[]): readonly Scored[] {
  return [...Map.groupBy(scored, ({ score }) => score).values()].flatMap((ties) => ties.reverse());
}
