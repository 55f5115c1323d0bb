import { join } from 'node:path';
import Database from 'better-sqlite3';
import { tokenHash } from '../../src/core/secrets/ids.ts';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import type { TestController } from './controller.ts';

/** How many certificates the session store has for a token, read past the controller. */
export async function sessionCertificatesLeft({ options }: TestController, token: string): Promise<number> {
  const hash = tokenHash(token);
  if (!options.redisUrl) {
    const database = new Database(join(options.dataDir ?? '', 'sessions.db'), { readonly: true });
    const count = database.prepare('select count(*) from certificates where tokenHash = ?').pluck().get(hash);
    database.close();
    return Number(count);
  }
  const client = await createRedisClient({ url: options.redisUrl }).connect();
  const fields = await client.hKeys(`edge:{${hash}}`);
  await client.close();
  return fields.filter((field) => field.startsWith('certificate:')).length;
}

/** The ids of the sessions of services that the session store has for an API session, read past the controller. */
export async function serviceSessionsLeft(
  { options }: TestController,
  { id, token }: { readonly id: string; readonly token: string },
): Promise<readonly string[]> {
  const hash = tokenHash(token);
  if (!options.redisUrl) {
    const database = new Database(join(options.dataDir ?? '', 'sessions.db'), { readonly: true });
    const ids = database.prepare('select id from serviceSessions where apiSessionId = ?').pluck().all(id);
    database.close();
    return ids.map(String);
  }
  const client = await createRedisClient({ url: options.redisUrl }).connect();
  const fields = await client.hKeys(`edge:{${hash}}`);
  const members = await client.zRange('edge:sessions', `[${id}`, `(${id}~`, { BY: 'LEX' });
  await client.close();
  return [...fields.filter((field) => field.startsWith('session:')), ...members];
}
