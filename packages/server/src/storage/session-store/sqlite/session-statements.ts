import type Database from 'better-sqlite3';
import type { Mark } from '../../../core/time/clock.ts';
import type { SessionRow } from './session-row.ts';
import { changeable } from './session-row.ts';

export type SessionStatements = ReturnType<typeof prepareSessionStatements>;

/** Prepares the statements of the store, but for those of `touch` and of the certificates. */
export function prepareSessionStatements(database: Database.Database) {
  const live = 'expiresAt > @now';
  return {
    create: database.prepare(
      `insert into sessions values (@tokenHash, @id, @sealedToken, @identityId, @authenticatorId, @ipAddress,
        @configTypes, @createdAt, @updatedAt, @isMfaRequired, @isMfaComplete, @lastActivityAt, @expiresAt, @method,
        @mfaId, @credentialVersion, @caId, @caVersion, @isCertExtendable, @improperClientCertChain, @signerId,
        @signerVersion, @mfaPassedAt, @usesRouters, @endsAt, @tokenReadBy)`,
    ),
    update: database.prepare(
      `update sessions set ${changeable.map((column) => `${column} = coalesce(@${column}, ${column})`).join(', ')}
        where tokenHash = @tokenHash and ${live}`,
    ),
    find: database.prepare<unknown[], SessionRow>(`select * from sessions where id = @id and ${live}`),
    peek: database.prepare<unknown[], SessionRow>(`select * from sessions where tokenHash = @tokenHash and ${live}`),
    remove: database.prepare(`delete from sessions where id = @id and ${live}`),
    ofIdentity: database.prepare<unknown[], SessionRow>(
      `select * from sessions where identityId = @identityId and ${live}`,
    ),
    hasSession: database.prepare(`select 1 from sessions where identityId = @identityId and ${live} limit 1`),
    version: database.prepare('select value from version').pluck(),
    bumpVersion: database.prepare('update version set value = value + 1'),
    rightsVersion: database.prepare('select rights from version').pluck(),
    bumpRightsVersion: database.prepare('update version set rights = rights + 1'),
    expired: database.prepare<unknown[], Pick<SessionRow, 'id' | 'identityId'>>(
      'select id, identityId from sessions where expiresAt <= @now limit @limit',
    ),
    removeExpired: database.prepare('delete from sessions where id = @id and expiresAt <= @now'),
    mark: database.prepare<unknown[], Mark>('select * from clock'),
    saveMark: database.prepare(
      'insert or replace into clock (rowid, steady, wall, uptime, bootId) values (1, @steady, @wall, @uptime, @bootId)',
    ),
  };
}
