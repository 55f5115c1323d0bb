import { hostOf, isLocal, isPlainHttp } from '../text/local-host.ts';
import type { Settings } from './schema.ts';

/** A connection to another machine without TLS. */
export interface PlainTransport {
  readonly setting: 'auditPushUrl' | 'databaseUrl' | 'redisUrl' | 'tracesUrl';
  /** Without secrets. */
  readonly message: string;
  readonly fix: string;
}

type Urls = Pick<Settings, PlainTransport['setting']>;

/** The values of `sslmode` with which `pg` verifies the certificate of the server, now and in its next version. */
const verified = ['verify-ca', 'verify-full'];

/** The connections to other machines that use no TLS, or take any certificate. */
export function plainTransports({ auditPushUrl, databaseUrl, redisUrl, tracesUrl }: Urls): readonly PlainTransport[] {
  const found: PlainTransport[] = [];
  const database = databaseUrl === null ? null : plainDatabaseHost(new URL(databaseUrl));
  if (database !== null) {
    const message = `PostgreSQL at ${database} is used without TLS whose certificate is verified`;
    found.push({ setting: 'databaseUrl', message, fix: 'add sslmode=verify-full to EDGE_DATABASE_URL' });
  }
  const redis = redisUrl === null ? null : new URL(redisUrl);
  if (redis?.protocol === 'redis:' && !isLocal(hostOf(redis))) {
    const fix = 'let Redis use TLS, and begin EDGE_REDIS_URL with rediss://';
    found.push({ setting: 'redisUrl', message: `Redis at ${redis.host} is used without TLS`, fix });
  }
  if (tracesUrl !== null && isPlainHttp(tracesUrl)) {
    const fix = 'begin EDGE_TRACES_URL with https://, or send traces to a collector on this machine';
    found.push({ setting: 'tracesUrl', message: `Traces are sent to ${new URL(tracesUrl).host} without TLS`, fix });
  }
  if (auditPushUrl !== null && isPlainHttp(auditPushUrl)) {
    const fix = 'begin EDGE_AUDIT_PUSH_URL with https://, or push to a collector on this machine';
    const message = `The audit log is pushed to ${new URL(auditPushUrl).host} without TLS`;
    found.push({ setting: 'auditPushUrl', message, fix });
  }
  return found;
}

/** `pg` takes the host of the query before that of the URL. It may be the directory of a socket. */
function plainDatabaseHost(url: URL): string | null {
  const { searchParams } = url;
  const named = searchParams.get('host') ?? decodeURIComponent(hostOf(url));
  const isHere = named === '' || named.startsWith('/') || isLocal(named);
  if (isHere || verified.includes(searchParams.get('sslmode') ?? '')) return null;
  return searchParams.has('host') ? named : url.host;
}
