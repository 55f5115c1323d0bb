import type { EmptyDatabase } from '../packages/server/test/support/databases.ts';
import { createMembershipTables, insertRows } from '../packages/server/test/support/membership.ts';

const identities = 100_000;
const services = 10_000;
const policies = 1_000;

/** The id of the entity with this number. */
export const idOf = (prefix: 'i' | 's' | 'p', at: number): string => prefix + at.toString(36).padStart(8, '0');

interface Holder {
  readonly id: string;
  /** Its role attributes. */
  readonly held: readonly string[];
}

interface Rule {
  readonly id: string;
  readonly type: 'Dial' | 'Bind';
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}

/** Identities and services with attributes, and policies. */
export interface Membership {
  readonly identities: readonly Holder[];
  readonly services: readonly Holder[];
  readonly policies: readonly Rule[];
}

/**
 * Returns 100,000 identities, 10,000 services and 1,000 service policies, always the same. An identity has 2 to 6 attributes of
 * 1,000, a service 1 to 4 of 500; some attributes are popular, most are rare.
 */
export function membership(): Membership {
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
  return {
    identities: numbers(identities).map((at) => ({ id: idOf('i', at), held: attributes(2 + upTo(5), 1_000) })),
    services: numbers(services).map((at) => ({ id: idOf('s', at), held: attributes(1 + upTo(4), 500) })),
    policies: numbers(policies).map((at) => ({
      id: idOf('p', at),
      type: random() < 0.8 ? 'Dial' : 'Bind',
      semantic: random() < 0.5 ? 'AllOf' : 'AnyOf',
      identityRoles: rolesOf('i', identities, 1_000),
      serviceRoles: rolesOf('s', services, 500),
    })),
  };
}

/** The rows of the roles in one field of the policies: id of the policy, role, how many attributes an entity needs. */
export function rolesRows(
  rules: readonly Rule[],
  field: 'identityRoles' | 'serviceRoles',
): readonly (readonly [string, string, number])[] {
  return rules.flatMap(({ id, semantic, [field]: values }) =>
    values.map((value) => {
      const need = semantic === 'AllOf' && /^#(?!all$)/.test(value) ? values.length : 1;
      return [id, value, need] as const;
    }),
  );
}

/** Fills a database that has only what membership needs. */
export async function fill(database: EmptyDatabase): Promise<void> {
  await createMembershipTables(database);
  const { policies: rules, ...entities } = membership();
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
  for (const field of ['identityRoles', 'serviceRoles'] as const) {
    await insertRows(database, `servicePolicies_${field}`, rolesRows(rules, field));
  }
}

/** Numbers in [0, 1), the same in every run. */
function createRandom(): () => number {
  let seed = 42;
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}
