import type Database from 'better-sqlite3';
import { createServiceSessionsTable } from './service-sessions.ts';
import { createCertificatesTable, giveCertificatesRowIds } from './session-certificates.ts';
import { createSessionDataTable } from './session-data.ts';

/** Each runs once, in this order. Append only. */
const migrations = [
  `create table if not exists sessions (
    tokenHash text primary key, id text not null unique, sealedToken text not null, identityId text not null,
    authenticatorId text not null, ipAddress text not null, configTypes text not null, createdAt integer not null,
    updatedAt integer not null, isMfaRequired integer not null, isMfaComplete integer not null,
    lastActivityAt integer not null, expiresAt integer not null
  ) without rowid;
  create index if not exists sessions_identityId on sessions (identityId);
  create index if not exists sessions_expiresAt on sessions (expiresAt)`,
  `alter table sessions add column method text not null default 'password';
  alter table sessions add column mfaId text`,
  `create table version (value integer not null);
  insert into version values (0)`,
  // With `id`, because it decides the order of sessions that were created in the same millisecond.
  `create index sessions_createdAt on sessions (createdAt, id)`,
  `alter table sessions add column credentialVersion integer not null default 0`,
  // The steady clock starts at the wall clock, so `expiresAt` of existing sessions is right without a change.
  `create table clock (steady integer not null, wall integer not null, uptime integer not null, bootId text)`,
  `alter table sessions add column caId text;
  alter table sessions add column caVersion integer not null default 0;
  alter table sessions add column isCertExtendable integer not null default 0;
  alter table sessions add column improperClientCertChain integer not null default 0`,
  createCertificatesTable,
  `alter table sessions add column signerId text;
  alter table sessions add column signerVersion integer not null default 0`,
  giveCertificatesRowIds,
  `alter table sessions add column mfaPassedAt integer;
  alter table version add column rights integer not null default 0`,
  createServiceSessionsTable,
  createSessionDataTable,
  // Nobody has recorded whether the existing ones have asked.
  `alter table sessions add column usesRouters integer`,
  `alter table sessions add column endsAt integer`,
  `alter table sessions add column tokenReadBy text`,
];

/** Brings the schema of the file up to date. */
export function migrate(database: Database.Database): void {
  const done = database.pragma('user_version', { simple: true }) as number;
  database.transaction(() => {
    for (const migration of migrations.slice(done)) database.exec(migration);
    database.pragma(`user_version = ${migrations.length}`);
  })();
}
