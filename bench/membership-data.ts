import type { EmptyDatabase } from '../packages/server/test/support/databases.ts';
import { createMembershipTables, insertRows } from '../packages/server/test/support/membership.ts';

const identities = 100_000;
const services = 10_000;
const policies = 1_000;

/** The id of the entity with this number. */
export const idOf = (prefix: 'i' | 's' | 'p', at: number): string => prefix + at.toString(36).padStart(8, '0');

/**
 * Fills a database with 100,000 identities, 10,000 services and 1,000 service policies, always the same. An identity has
 * 2 to 6 attributes of 1,000, a service 1 to 4 of 500; some attributes are popular, most are rare.
 */
export async function fill(database: EmptyDatabase): Promise<void> {
  await createMembershipTables(database);
  const random = createRandom();
  const attributes = (count: number, of: number) => {
    const chosen = new Set<string>();
    while (chosen.size < count) chosen.add(`a${Math.floor(of * random() ** 2.5)}`);
    return [...chosen];
  };
  const upTo = (count: number) => Math.floor(random() * count);
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
  const rolesOf = (prefix: 'i' | 's', entities: number, names: number): string[] => {
    const kind = random();
    if (kind < 0.03) return ['#all'];
    if (kind < 0.2) return [...new Set(numbers(5).map(() => `@${idOf(prefix, upTo(entities))}`))];
    return attributes(1 + upTo(3), names).map((name) => `#${name}`);
  };

  const people = numbers(identities).map((at) => ({ id: idOf('i', at), held: attributes(2 + upTo(5), 1_000) }));
  const things = numbers(services).map((at) => ({ id: idOf('s', at), held: attributes(1 + upTo(4), 500) }));
  const rules = numbers(policies).map((at) => ({
    id: idOf('p', at),
    type: random() < 0.8 ? 'Dial' : 'Bind',
    semantic: random() < 0.5 ? 'AllOf' : 'AnyOf',
    identityRoles: rolesOf('i', identities, 1_000),
    serviceRoles: rolesOf('s', services, 500),
  }));
  const roles = (field: 'identityRoles' | 'serviceRoles') =>
    rules.flatMap(({ id, semantic, [field]: values }) =>
      values.map((value) => [id, value, semantic === 'AllOf' && /^#(?!all$)/.test(value) ? values.length : 1]),
    );
  const entities = { identities: people, services: things };
  for (const [table, rows] of Object.entries(entities)) {
    await insertRows(
      database,
      table,
      rows.map(({ id }) => [id, '']),
    );
    const held = rows.flatMap((row) => row.held.map((value) => [row.id, value]));
    await insertRows(database, `${table}_roleAttributes`, held);
  }
  await insertRows(
    database,
    'servicePolicies',
    rules.map(({ id, type }) => [id, type]),
  );
  await insertRows(database, 'servicePolicies_identityRoles', roles('identityRoles'));
  await insertRows(database, 'servicePolicies_serviceRoles', roles('serviceRoles'));
}

/** Numbers in [0, 1), the same in every run. */
function createRandom(): () => number {
  let seed = 42;
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}
