import type { DoctorCheck, DoctorFinding } from '../finding.ts';
import { warning } from '../finding.ts';
import { settingsTransportFindings } from '../transport-findings.ts';

const everywhere = ['0.0.0.0', '::'];
const minute = 60_000;

/** Valid settings that are probably not meant. */
export const sensibleSettings: DoctorCheck = async ({ settings }) => {
  const findings: DoctorFinding[] = [];
  if (settings.databaseUrl !== null && settings.redisUrl === null) {
    findings.push(
      warning(
        'The entities are in PostgreSQL, and each controller keeps its API sessions in a file of its own',
        'databaseUrl',
        'set EDGE_REDIS_URL, or run only one controller with this database',
      ),
    );
  }
  if (settings.redisUrl !== null && settings.databaseUrl === null) {
    findings.push(
      warning(
        'The API sessions are in Redis, and the entities in a file, which only one controller can use',
        'redisUrl',
        'set EDGE_DATABASE_URL, or remove EDGE_REDIS_URL',
      ),
    );
  }
  if (settings.sessionTimeout < minute) {
    const message = `API sessions end after ${settings.sessionTimeout / 1_000} s without use`;
    findings.push(warning(message, 'sessionTimeout', 'set EDGE_SESSION_TIMEOUT to 1m or more'));
  }
  if (everywhere.includes(settings.host) && settings.address === null) {
    const message = 'The controller listens on all addresses, but tells clients to connect to localhost';
    findings.push(warning(message, 'host', 'set EDGE_API_ADDRESS to the host and port at which clients reach it'));
  }
  if (settings.signInRate === 0) {
    const message = 'Nothing limits how often a client may try to sign in';
    findings.push(warning(message, 'signInRate', 'set EDGE_SIGN_IN_RATE, 10 for example'));
  }
  return [...findings, ...settingsTransportFindings(settings)];
};
