import { sql } from 'kysely';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import { ChainWalk } from './chain-walk.ts';
import type { CheckpointSigner } from './checkpoint.ts';
import { readEntries } from './read-entries.ts';
import { SignedPoints } from './signed-points.ts';

/** A mistake in the log: where, and what is wrong. */
export interface LogFinding {
  readonly sequence: number;
  readonly problem: string;
}

export interface Verification {
  /** Entries that were read. */
  readonly entries: number;
  /** The first and the last of them. `null`: the log is empty. */
  readonly first: number | null;
  readonly last: number | null;
  /** Checkpoints that the log agrees with. */
  readonly checkpoints: number;
  /** The first mistakes, at most 100. Empty: the log is intact. */
  readonly findings: readonly LogFinding[];
  /** What could not be checked. */
  readonly notes: readonly string[];
}

interface VerifyLogOptions {
  readonly database: Pick<EntityStore, 'db'>;
  readonly signer: Pick<CheckpointSigner, 'read'>;
  /** The checkpoint in the file of this controller. `null`: there is none. */
  readonly own: string | null;
}

const maxFindings = 100;

/**
 * Verifies the whole log: each entry against the one before, the end against the head, and all against what controllers have signed.
 * Reads it in batches. Entries may be added, and old ones removed, meanwhile.
 */
export async function verifyLog({ database, signer, own }: VerifyLogOptions): Promise<Verification> {
  const findings: LogFinding[] = [];
  const report = (sequence: number, problem: string) => {
    if (findings.length < maxFindings) findings.push({ sequence, problem });
  };
  const points = new SignedPoints({ database, signer, report });
  await points.load(own);
  const head = await readHead(database);
  if (!head) return { ...nothing, findings: [{ sequence: 0, problem: 'is missing: the row of the end of the log' }] };
  const walk = new ChainWalk(points, report);
  for await (const batch of readEntries(database, head.sequence)) {
    for (const entry of batch) await walk.visit(entry);
  }
  await walk.end(head);
  points.end(head.sequence);
  const after = await readHead(database);
  if (after && after.last > after.sequence)
    report(after.last, `entries after ${after.sequence} were inserted behind the end`);
  const { count, first, last } = walk;
  return {
    ...{ entries: count, first, last, checkpoints: points.matched, notes: points.notes },
    findings: findings.toSorted((one, other) => one.sequence - other.sequence),
  };
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
  /** The greatest sequence of an entry. */
  readonly last: number;
}

const nothing = { entries: 0, first: null, last: null, checkpoints: 0, notes: [] };

async function readHead({ db }: VerifyLogOptions['database']): Promise<Head | undefined> {
  const { rows } = await sql<Head>`select "sequence", "hash",
    coalesce((select max("sequence") from "auditLog"), 0) as "last" from "auditHead" where "id" = 1`.execute(db);
  return rows[0];
}
