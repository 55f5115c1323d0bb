import { sql } from 'kysely';
import type { LiveApiSession } from '../session-store.ts';

type Flag = 'isMfaRequired' | 'isMfaComplete' | 'isCertExtendable' | 'improperClientCertChain';

/** A row of the table of API sessions. `expiresAt` is a time of the steady clock. */
export type SessionRow = Omit<LiveApiSession, 'configTypes' | 'usesRouters' | Flag> & {
  readonly configTypes: string;
  readonly usesRouters: number | null;
} & {
  readonly [Name in Flag]: number;
};

/** The columns that may change, beside those of the times that a touch sets. All others stay as they were created. */
export const changeable = [
  'updatedAt',
  'isMfaRequired',
  'isMfaComplete',
  'mfaId',
  'mfaPassedAt',
  'usesRouters',
  'tokenReadBy',
] as const;

export type Changeable = Pick<SessionRow, (typeof changeable)[number]>;

/** `session.expiresAt` is already a time of the steady clock. */
export function toRow(session: LiveApiSession): SessionRow {
  return {
    ...session,
    configTypes: JSON.stringify(session.configTypes),
    isMfaRequired: Number(session.isMfaRequired),
    isMfaComplete: Number(session.isMfaComplete),
    isCertExtendable: Number(session.isCertExtendable),
    improperClientCertChain: Number(session.improperClientCertChain),
    usesRouters: session.usesRouters === null ? null : Number(session.usesRouters),
  };
}

/** `offset`: milliseconds from the steady clock to the wall clock. */
export function fromRow(row: SessionRow, offset: number): LiveApiSession {
  return {
    ...row,
    configTypes: JSON.parse(row.configTypes) as string[],
    isMfaRequired: row.isMfaRequired === 1,
    isMfaComplete: row.isMfaComplete === 1,
    isCertExtendable: row.isCertExtendable === 1,
    improperClientCertChain: row.improperClientCertChain === 1,
    usesRouters: row.usesRouters === null ? null : row.usesRouters === 1,
    expiresAt: row.expiresAt + offset,
  };
}

/**
 * A condition on rows of sessions, and of what belongs to them. Only few rows have expired and are not yet deleted. So the list looks for those with one index and then needs no other
 * column: it can count with any index, and it reads the sessions of the page only.
 */
export function isOfLiveSession(now: number) {
  return sql<boolean>`tokenHash not in (select tokenHash from sessions where expiresAt <= ${now})`;
}

export function isOfIdentity(identityId: string) {
  return sql<boolean>`identityId = ${identityId}`;
}
