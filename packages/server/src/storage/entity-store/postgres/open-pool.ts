import pg from 'pg';

const bigintType = 20;

/** How a controller is called in `pg_stat_activity`. */
export const applicationName = 'edge-controller';

interface PoolConfig extends pg.PoolConfig {
  /** What each connection sets for itself. */
  readonly session?: Readonly<Partial<Record<SessionSetting, number>>>;
}

type SessionSetting = 'statement_timeout' | 'idle_in_transaction_session_timeout' | 'max_parallel_workers_per_gather';

/** Opens connections to PostgreSQL. They say in `application_name` that they are of a controller, unless the URL names another one. */
export function openPool({ session, ...config }: PoolConfig): pg.Pool {
  const settings = {
    // What a lost connection has locked is free after this time.
    idle_in_transaction_session_timeout: 3_000,
    ...session,
  };
  // Not as parameters of the connection: a connection pooler refuses those.
  const text = Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');
  const set = { text, query_timeout: 2_000 };
  const pool = new pg.Pool({
    application_name: applicationName,
    connectionTimeoutMillis: 2_000,
    onConnect: (client) => client.query(set),
    // Otherwise a connection that is closed while nothing passes keeps the process alive for minutes.
    allowExitOnIdle: true,
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === bigintType ? Number : pg.types.getTypeParser(type, format as 'text'),
    } as pg.CustomTypesConfig,
    ...config,
  });
  // The pool drops a connection that breaks while idle. The next query gets a new connection or its own error.
  pool.on('error', () => undefined);
  // The pool does not listen to a connection that is in use. Its statements fail.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
