import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabaseFile } from '../../../storage/database/sqlite/database-error.ts';
import { damageOf } from '../../../storage/database/sqlite/probe-file.ts';
import { clockFindings } from '../clock-findings.ts';
import type { DoctorCheck, DoctorFinding, Installation } from '../finding.ts';
import { problemsOf, unusable, warning } from '../finding.ts';

/** The oldest version that its makers maintain. */
const leastVersion = 7;
const fullMemory = 0.9;

/** The store of the API sessions can be reached, takes writes, and keeps what it has. */
export const sessionStore: DoctorCheck = (installation) => {
  const { redisUrl } = installation.settings;
  return redisUrl === null ? sqlite(installation) : redis(redisUrl, installation);
};

async function sqlite({ dataDir }: Installation): Promise<readonly DoctorFinding[]> {
  const path = join(dataDir, 'sessions.db');
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return [];
  try {
    const damage = await openDatabaseFile(path, async (file) => damageOf(file));
    if (damage === null) return [];
    const fix = 'stop the controller, and move the file away with its -wal and -shm files. All API sessions end';
    return [unusable(`${path} is damaged: ${damage}`, 'dataDir', fix)];
  } catch (error) {
    return problemsOf(error, 'dataDir');
  }
}

async function redis(url: string, { settings, clock }: Installation): Promise<readonly DoctorFinding[]> {
  const { probeRedis } = await import('../../../storage/session-store/redis/probe.ts');
  const name = `Redis at ${new URL(url).host}`;
  try {
    const probe = await probeRedis(url, clock);
    const findings: DoctorFinding[] = [];
    if (Number.parseInt(probe.version, 10) < leastVersion) {
      const message = `${name} has the version ${probe.version}, which is no longer maintained`;
      findings.push(warning(message, 'redisUrl', `use version ${leastVersion} or newer`));
    }
    if (probe.isReplica) {
      findings.push(
        unusable(`${name} is a replica, which takes no writes`, 'redisUrl', 'name the primary in EDGE_REDIS_URL'),
      );
    }
    if (probe.evictionPolicy !== 'noeviction') {
      const message = `${name} may evict API sessions: its maxmemory-policy is ${probe.evictionPolicy}`;
      const fix = 'CONFIG SET maxmemory-policy noeviction';
      findings.push(settings.refuseEviction ? unusable(message, 'redisUrl', fix) : warning(message, 'redisUrl', fix));
    }
    if ((probe.memoryUse ?? 0) > fullMemory) {
      const message = `${name} uses ${Math.round((probe.memoryUse ?? 0) * 100)} % of its memory`;
      findings.push(warning(message, 'redisUrl', 'raise maxmemory, or lower EDGE_SESSION_TIMEOUT'));
    }
    return [...findings, ...clockFindings(name, probe.clockDifference, 'redisUrl')];
  } catch (error) {
    return problemsOf(error, 'redisUrl');
  }
}
