import type { Kysely } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange, SchemaContext } from './schema-change.ts';

/** Role attributes get a table of their own, and the rules of an auth policy two columns with JSON. */
export const entitiesDescribedOnce: SchemaChange = async (db, context) => {
  await groupPolicyRules(db, context);
  await moveRoleAttributes(db, context);
  // Lists that are sorted by the time of creation read an index.
  for (const table of ['authPolicies', 'authenticators', 'enrollments', 'identities']) {
    await schemaOf(db, context).index(table, 'createdAt', 'id');
  }
};

interface OldPolicy {
  id: string;
  certAllowed: number;
  certAllowExpiredCerts: number;
  extJwtAllowed: number;
  extJwtAllowedSigners: string;
  updbAllowed: number;
  updbMinPasswordLength: number;
  updbRequireSpecialChar: number;
  updbRequireNumberChar: number;
  updbRequireMixedCase: number;
  updbMaxAttempts: number;
  updbLockoutDurationMinutes: number;
  requireTotp: number;
  requireExtJwtSigner: string | null;
}

const oldColumns = [
  'certAllowed',
  'certAllowExpiredCerts',
  'extJwtAllowed',
  'extJwtAllowedSigners',
  'updbAllowed',
  'updbMinPasswordLength',
  'updbRequireSpecialChar',
  'updbRequireNumberChar',
  'updbRequireMixedCase',
  'updbMaxAttempts',
  'updbLockoutDurationMinutes',
  'requireTotp',
  'requireExtJwtSigner',
] as const satisfies readonly (keyof OldPolicy)[];

async function groupPolicyRules(schema: Kysely<unknown>, { text }: SchemaContext): Promise<void> {
  const db = schema as Kysely<{ authPolicies: OldPolicy & { primary: string; secondary: string } }>;
  for (const group of ['primary', 'secondary']) {
    // SQLite adds no required column without a default value. This one is no JSON: a policy without rules cannot be read.
    await db.schema
      .alterTable('authPolicies')
      .addColumn(group, text, (column) => column.notNull().defaultTo(''))
      .execute();
  }
  const policies = await db
    .selectFrom('authPolicies')
    .select(['id', ...oldColumns])
    .execute();
  for (const policy of policies) {
    await db.updateTable('authPolicies').set(groupsOf(policy)).where('id', '=', policy.id).execute();
  }
  for (const column of oldColumns) await db.schema.alterTable('authPolicies').dropColumn(column).execute();
}

function groupsOf(row: OldPolicy): { primary: string; secondary: string } {
  const primary = {
    cert: { allowed: row.certAllowed === 1, allowExpiredCerts: row.certAllowExpiredCerts === 1 },
    extJwt: { allowed: row.extJwtAllowed === 1, allowedSigners: JSON.parse(row.extJwtAllowedSigners) },
    updb: {
      allowed: row.updbAllowed === 1,
      minPasswordLength: row.updbMinPasswordLength,
      requireSpecialChar: row.updbRequireSpecialChar === 1,
      requireNumberChar: row.updbRequireNumberChar === 1,
      requireMixedCase: row.updbRequireMixedCase === 1,
      maxAttempts: row.updbMaxAttempts,
      lockoutDurationMinutes: row.updbLockoutDurationMinutes,
    },
  };
  const secondary = {
    requireTotp: row.requireTotp === 1,
    ...(row.requireExtJwtSigner === null ? {} : { requireExtJwtSigner: row.requireExtJwtSigner }),
  };
  return { primary: JSON.stringify(primary), secondary: JSON.stringify(secondary) };
}

interface Attribute {
  ownerId: string;
  value: string;
}

/** Identities that are read at once, and attributes that one statement writes. They bound the memory. */
const readSize = 2_000;
const writeSize = 500;
/** An attribute had no maximum length. An index of PostgreSQL cannot hold a long one, and requests now allow no longer one. */
const maxLength = 500;

async function moveRoleAttributes(schema: Kysely<unknown>, context: SchemaContext): Promise<void> {
  const db = schema as Kysely<{
    identities: { id: string; roleAttributes: string };
    identities_roleAttributes: Attribute;
  }>;
  await schemaOf(schema, context).setTable('identities', 'roleAttributes');
  let last = '';
  for (;;) {
    const identities = await db
      .selectFrom('identities')
      .select(['id', 'roleAttributes'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(readSize)
      .execute();
    const attributes = identities.flatMap(attributesOf);
    for (let at = 0; at < attributes.length; at += writeSize) {
      await db
        .insertInto('identities_roleAttributes')
        .values(attributes.slice(at, at + writeSize))
        .execute();
    }
    if (identities.length < readSize) break;
    last = identities.at(-1)?.id ?? last;
  }
  await db.schema.alterTable('identities').dropColumn('roleAttributes').execute();
}

function attributesOf({ id, roleAttributes }: { id: string; roleAttributes: string }): Attribute[] {
  const values: string[] = JSON.parse(roleAttributes);
  return [...new Set(values.map((value) => value.slice(0, maxLength)))].map((value) => ({ ownerId: id, value }));
}
