import type { Member, RedisKeys } from '../keys.ts';
import { memberText, parseMember, parseMembers } from '../keys.ts';
import type { RunScript } from '../scripts.ts';
import { batchSize } from '../session-index.ts';
import type { SessionReader } from '../session-reader.ts';

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

interface CreationIndexOptions {
  /** For pages. */
  readonly run: RunScript;
  /** For long scans, which have a connection of their own. */
  readonly scanRun: RunScript;
  /** On the same connection as `scanRun`. */
  readonly scanReader: SessionReader;
  readonly keys: RedisKeys;
}

/** The index by time of creation. */
export class CreationIndex {
  readonly #run: RunScript;
  readonly #scanRun: RunScript;
  readonly #scanReader: SessionReader;
  readonly #keys: RedisKeys;
  #nextFullRepair = 0;
  #repairing: Promise<void> | null = null;

  constructor({ run, scanRun, scanReader, keys }: CreationIndexOptions) {
    this.#run = run;
    this.#scanRun = scanRun;
    this.#scanReader = scanReader;
    this.#keys = keys;
  }

  /** The members at the positions from `offset` to `offset + length`, of all sessions in this order. */
  async slice(
    { isDescending, isDescendingId }: CreationOrder,
    offset: number,
    length: number,
  ): Promise<readonly Member[]> {
    const scored =
      isDescending === isDescendingId
        ? await this.#sliceInOrderOfIndex(isDescending, offset, offset + length)
        : await this.#sliceWithIdsTurned(isDescending, offset, length);
    return parseMembers(scored.map(({ value }) => value));
  }

  /** The times of creation. `null` for a session that does not exist. */
  async timesOf(members: readonly Member[]): Promise<readonly (number | null)[]> {
    const times = await this.#scoresOf(this.#keys.created, members);
    const missing = await this.#scanReader.load(members.filter((_, at) => times[at] === null));
    const added = new Map(missing.map(({ id, createdAt }) => [id, createdAt]));
    return members.map(({ id }, at) => times[at] ?? added.get(id) ?? null);
  }

  /**
   * Adds the sessions that are missing, and removes the members that are in no other index. A version of the
   * controller without this index leaves both behind. When the counts of both indexes agree, it reads nothing else, but for
   * the first repair and one every ten minutes: that version may have added as many as it removed. Only one runs at a time.
   */
  repair(): Promise<void> {
    this.#repairing ??= this.#repairIfNeeded().finally(() => {
      this.#repairing = null;
    });
    return this.#repairing;
  }

  async #sliceInOrderOfIndex(isDescending: boolean, start: number, end: number): Promise<readonly Scored[]> {
    if (end <= start) return [];
    return this.#run((client) => client.zRangeWithScores(this.#keys.created, start, end - 1, { REV: isDescending }));
  }

  /** Redis turns ids around together with the scores. So members with the same score are read from the other end. */
  async #sliceWithIdsTurned(isDescending: boolean, offset: number, length: number): Promise<readonly Scored[]> {
    const page = await this.#sliceInOrderOfIndex(isDescending, offset, offset + length);
    const [first, last] = [page[0], page.at(-1)];
    if (!first || !last) return [];
    const end = offset + page.length;
    const [[firstStart, firstEnd], [lastStart, lastEnd]] = await Promise.all([
      this.#boundsOf(isDescending, first.score),
      this.#boundsOf(isDescending, last.score),
    ]);
    const read = (from: number, to: number) => this.#sliceInOrderOfIndex(isDescending, Math.max(from, 0), to);
    if (first.score === last.score)
      return turnTies(await read(firstStart + firstEnd - end, firstStart + firstEnd - offset));
    const [head, tail] = await Promise.all([
      read(firstStart, firstStart + firstEnd - offset),
      read(lastStart + lastEnd - end, lastEnd),
    ]);
    return turnTies([...head, ...page.slice(firstEnd - offset, lastStart - offset), ...tail]);
  }

  /** The positions of the first and the one after the last member with this score. */
  #boundsOf(isDescending: boolean, score: number): Promise<readonly [number, number]> {
    const { created } = this.#keys;
    return this.#run((client) =>
      isDescending
        ? Promise.all([client.zCount(created, `(${score}`, '+inf'), client.zCount(created, score, '+inf')])
        : Promise.all([client.zCount(created, '-inf', `(${score}`), client.zCount(created, '-inf', score)]),
    );
  }

  async #scoresOf(key: string, members: readonly Member[]): Promise<readonly (number | null)[]> {
    if (members.length === 0) return [];
    return this.#scanRun((client) => client.zmScore(key, members.map(memberText)));
  }

  async #repairIfNeeded(): Promise<void> {
    const startedAt = performance.now();
    const [expected, present] = await this.#counts();
    if (expected === present && startedAt < this.#nextFullRepair) return;
    if (expected > 0 || present > 0) await this.#repairAll();
    this.#nextFullRepair = startedAt + fullRepairInterval;
  }

  async #repairAll(): Promise<void> {
    for await (const members of this.#scanReader.index.batches({ key: this.#keys.ids })) {
      await this.#addMissing(members);
    }
    const [sessions, members] = await this.#counts();
    if (members > sessions) await this.#removeGone(members);
  }

  /** The numbers of members: of the index of ids, and of this one. */
  #counts(): Promise<[number, number]> {
    const { ids, created } = this.#keys;
    return this.#run((client) => Promise.all([client.zCard(ids), client.zCard(created)]));
  }

  async #addMissing(members: readonly Member[]): Promise<void> {
    const { created } = this.#keys;
    const missing = await this.#missingIn(created, members);
    const sessions = await this.#scanReader.load(missing);
    if (sessions.length === 0) return;
    const scored = sessions.map((session) => ({ score: session.createdAt, value: memberText(session) }));
    await this.#scanRun((client) => client.zAdd(created, scored));
    // Another process may have removed a session since it was read.
    await this.#removeUnlessInIds(sessions);
  }

  async #removeGone(length: number): Promise<void> {
    const { created } = this.#keys;
    for (let end = length; end > 0; end -= batchSize) {
      const texts = await this.#scanRun((client) => client.zRange(created, Math.max(end - batchSize, 0), end - 1));
      const foreign = texts.filter((text) => parseMember(text) === null);
      if (foreign.length > 0) await this.#scanRun((client) => client.zRem(created, foreign));
      await this.#removeUnlessInIds(parseMembers(texts));
    }
  }

  async #removeUnlessInIds(members: readonly Member[]): Promise<void> {
    const { ids, created } = this.#keys;
    const gone = await this.#missingIn(ids, members);
    if (gone.length > 0) await this.#scanRun((client) => client.zRem(created, gone.map(memberText)));
  }

  /** The members that are not in the index `key`. */
  async #missingIn(key: string, members: readonly Member[]): Promise<readonly Member[]> {
    const scores = await this.#scoresOf(key, members);
    return members.filter((_, at) => scores[at] === null);
  }
}

/** Turns the members of each score around. */
function turnTies(scored: readonly Scored[]): readonly Scored[] {
  return [...Map.groupBy(scored, ({ score }) => score).values()].flatMap((ties) => ties.reverse());
}
