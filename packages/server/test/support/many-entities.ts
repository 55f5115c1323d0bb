import { join } from 'node:path';
import { openFile } from '../../src/storage/database/sqlite/open-file.ts';
import type { TestController } from './controller.ts';

const management = '/edge/management/v1';

/** Creates an identity with a password, and a service with a config, over the API. */
export async function createSamples({ wire, signIn, addUser }: TestController): Promise<void> {
  const token = await signIn();
  const create = async (path: string, body: object): Promise<string> => {
    const { status, text, body: response } = await wire('POST', management + path, { token, body });
    if (status !== 201) throw new Error(`POST ${path}: ${text}`);
    return response.data.id;
  };
  await addUser(token);
  const configTypeId = await create('/config-types', { name: 'sample', schema: {} });
  const config = await create('/configs', {
    name: 'sample ü',
    configTypeId,
    data: { note: 'é\n"\\\u2028' },
  });
  await create('/services', { name: 'sample', encryptionRequired: true, configs: [config], roleAttributes: ['first'] });
  const roles = { identityRoles: ['#all'], serviceRoles: ['#first'] };
  await create('/service-policies', { name: 'sample', type: 'Dial', semantic: 'AnyOf', ...roles });
  await create('/identities', { name: 'sample', type: 'User', isAdmin: false, enrollment: { ott: true } });
}

/** Fills the SQLite database of a controller that does not run with copies of what `createSamples` has created. */
export function copySamples(dataDir: string, { identities, services }: { identities: number; services: number }): void {
  const database = openFile(join(dataDir, 'entities.db'));
  const copy = (table: string, where: string, count: number, changed: Readonly<Record<string, string>>) => {
    const names = database.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
    const values = names.map((name) => changed[name] ?? `"${name}"`);
    database.exec(`with recursive counter (n) as (select 1 union all select n + 1 from counter limit ${count})
      insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')})
      select ${values.join(', ')} from counter, (select * from "${table}" where ${where} limit 1)`);
  };
  copy('identities', `name = 'sample'`, identities, { id: `'i-' || n`, name: `'person ' || n` });
  copy('authenticators', `username like 'user-%'`, identities, {
    ...{ id: `'a-' || n`, identityId: `'i-' || n`, username: `'person-' || n` },
  });
  copy('passwords', 'true', identities, { authenticatorId: `'a-' || n` });
  copy('credentials', 'true', identities, { identityId: `'i-' || n`, authenticatorId: `'a-' || n` });
  copy('services', 'true', services, { id: `'s-' || n`, name: `'service ' || n` });
  database.exec(`insert into "identities_roleAttributes" select id, 'a' || (rowid % 1000) from identities where id like 'i-%';
    insert into "services_roleAttributes" select id, 'a' || (rowid % 500) from services where id like 's-%'`);
  database.close();
}
