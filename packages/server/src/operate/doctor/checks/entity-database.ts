import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueryExecutorProvider } from 'kysely';
import { openDatabaseFile } from '../../../storage/database/sqlite/database-error.ts';
import { damageOf } from '../../../storage/database/sqlite/probe-file.ts';
import { readAuditPushLag } from '../../../storage/entity-store/audit-push-lag.ts';
import type { EntityProbe } from '../../../storage/entity-store/entity-probe.ts';
import type { PostgresProbe } from '../../../storage/entity-store/postgres/probe.ts';
import { entitiesFile } from '../../backup/manifest.ts';
import { auditPushFindings } from '../audit-push-findings.ts';
import { clockFindings } from '../clock-findings.ts';
import type { DoctorCheck, DoctorFinding, Installation } from '../finding.ts';
import { problemsOf, unusable, warning, wrong } from '../finding.ts';
import { sealKeyFindings } from '../seal-key-findings.ts';
import { readSignInRisks, signInFindings } from '../sign-in-findings.ts';
import { signersTransportFindings } from '../transport-findings.ts';

/** The oldest version that its makers maintain. */
const leastVersion = 15;

/** The database of the entities can be reached, is whole, and has a schema and a seal key that this version can use. */
export const entityDatabase: DoctorCheck = (installation) => {
  const { databaseUrl } = installation.settings;
  return databaseUrl === null ? sqlite(installation) : postgres(databaseUrl, installation);
};

async function sqlite(installation: Installation): Promise<readonly DoctorFinding[]> {
  const path = join(installation.dataDir, entitiesFile);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return sealKeyFindings(installation, null);
  try {
    const { probeSqlite } = await import('../../../storage/entity-store/sqlite/probe.ts');
    const damage = await openDatabaseFile(path, async (file) => damageOf(file));
    if (damage !== null) {
      return [unusable(`${path} is damaged: ${damage}`, 'dataDir', 'stop the controller and restore a backup')];
    }
    return common(installation, await openDatabaseFile(path, (file) => probeSqlite(file, reader(installation))));
  } catch (error) {
    return problemsOf(error, 'dataDir');
  }
}

async function postgres(url: string, installation: Installation): Promise<readonly DoctorFinding[]> {
  const { probePostgres } = await import('../../../storage/entity-store/postgres/probe.ts');
  const { host, pathname } = new URL(url);
  const name = `PostgreSQL at ${host}`;
  let probe: PostgresProbe<readonly DoctorFinding[]>;
  try {
    probe = await probePostgres(url, installation.clock, reader(installation));
  } catch (error) {
    const fix = `start PostgreSQL, or correct EDGE_DATABASE_URL: its host, port, user, password or database ${pathname.slice(1)}`;
    return problemsOf(error, 'databaseUrl').map((problem) => ({ ...problem, fix }));
  }
  const findings: DoctorFinding[] = [];
  const { version, encoding, isStandby, canCreateTables, clockDifference, schema } = probe;
  if (Number.parseInt(version, 10) < leastVersion) {
    const message = `${name} has the version ${version}, which is no longer maintained`;
    findings.push(warning(message, 'databaseUrl', `use version ${leastVersion} or newer`));
  }
  if (encoding !== 'UTF8') {
    const fix = 'create a database with the encoding UTF8, and move the entities with export and import';
    findings.push(wrong(`The database on ${host} has the encoding ${encoding}`, 'databaseUrl', fix));
  }
  if (isStandby) {
    findings.push(
      unusable(`${name} is a standby, which takes no writes`, 'databaseUrl', 'name the primary in EDGE_DATABASE_URL'),
    );
  } else if (!canCreateTables && schema.missing.length > 0) {
    const fix = `grant create on schema public to the user of EDGE_DATABASE_URL, or let this user own the database`;
    findings.push(
      unusable(
        `The user of the database on ${host} may not create tables, and the schema is not up to date`,
        'databaseUrl',
        fix,
      ),
    );
  }
  return [...findings, ...clockFindings(name, clockDifference, 'databaseUrl'), ...(await common(installation, probe))];
}

function reader({ settings, clock }: Installation): (db: QueryExecutorProvider) => Promise<readonly DoctorFinding[]> {
  return async (db) => [
    ...signInFindings(await readSignInRisks(db, settings)),
    ...auditPushFindings(settings, await readAuditPushLag(db, clock())),
  ];
}

/** The part of its size from which on the audit log is nearly full. */
const nearlyFull = 0.8;

function auditFindings({ settings }: Installation, bytes: number): readonly DoctorFinding[] {
  const size = Math.ceil(bytes / 2 ** 20);
  if (size < settings.auditMaxSize * nearlyFull) return [];
  const message = `The audit log has about ${size} MiB of ${settings.auditMaxSize}: its oldest entries are removed when it has more`;
  const fix = 'raise EDGE_AUDIT_MAX_SIZE, or keep the old entries elsewhere with edge-controller audit export';
  return [warning(message, 'auditMaxSize', fix)];
}

async function common(
  installation: Installation,
  { schema, sealCheck, auditLogSize, jwksEndpoints, read }: EntityProbe<readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  const setting = installation.settings.databaseUrl === null ? 'dataDir' : 'databaseUrl';
  const findings = [...(await sealKeyFindings(installation, sealCheck)), ...auditFindings(installation, auditLogSize)];
  if (schema.unknown.length > 0) {
    const message = `A newer version of the controller has changed the database (${schema.unknown.join(', ')})`;
    findings.push(unusable(message, setting, 'use that version, or restore a backup from before the update'));
  } else if (schema.applied.length > 0 && schema.missing.length > 0) {
    const message = `The database has an older schema: ${schema.missing.length} migrations are missing`;
    findings.push(warning(message, setting, 'back it up; the next start of this version migrates it'));
  }
  return [...findings, ...signersTransportFindings(jwksEndpoints), ...(read ?? [])];
}
