import type { Field } from '../../packages/operation-tables/src/operation-table.ts';
import type { Schema } from '../../packages/server/src/documents/openapi/parts.ts';
import { schemaPrefix } from '../../packages/server/src/documents/openapi/schemas.ts';
import type { Field as ContractField } from '../../packages/shared-types/src/index.ts';
import { contracts } from '../../packages/shared-types/src/index.ts';
import type { BodyKinds } from './field-kinds.ts';
import { kindsOfMember } from './field-kinds.ts';

type Schemas = Readonly<Record<string, Schema>>;

interface Description {
  readonly about?: string | undefined;
  readonly isRequired?: boolean | undefined;
}

/** The name of the registered schema that a schema refers to, also when it may be null. */
export function refName(schema: Schema): string | undefined {
  const { $ref } = schema.anyOf?.find((branch) => branch.$ref !== undefined) ?? schema;
  return $ref?.slice(schemaPrefix.length);
}

/** The members of a body at every depth, each as one option. */
export function bodyFields(name: string, schemas: Schemas, kinds: BodyKinds | undefined): Field[] {
  return membersOf(schemas[name] ?? {}, '', schemas).map((field) => ({
    ...{ ...field, ...contractOf(name, field.name), ...emptyOf(name, field.name) },
    ...kindsOfMember(kinds, field.name),
  }));
}

/** Required members that have a value for something usual, such as no end. Nobody has to know it. */
const emptyValues: Readonly<Record<string, number>> = { 'disableParams.durationMinutes': 0 };

function emptyOf(body: string, member: string): Pick<Field, 'ifEmpty'> {
  const ifEmpty = emptyValues[`${body}.${member}`];
  return ifEmpty === undefined ? {} : { ifEmpty };
}

function membersOf({ properties = {}, required = [] }: Schema, before: string, schemas: Schemas): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = resolved(schema, schemas);
    const about = typeof schema.description === 'string' ? schema.description : undefined;
    // Whoever leaves out an object leaves out its members, too.
    const isRequired = before === '' && required.includes(name);
    const own = fieldOf(`${before}${name}`, inner, { about: about ?? describedIn(inner), isRequired });
    const items = inner.items === undefined ? [] : membersOf(resolved(inner.items, schemas), '', schemas);
    const field = { ...own, ...(items.length > 0 && { items }) };
    return [field, ...(field.type === 'object' ? membersOf(inner, `${before}${name}.`, schemas) : [])];
  });
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const id = refName(schema);
  return id === undefined ? schema : (schemas[id] ?? {});
}

const describedIn = ({ description }: Schema) => (typeof description === 'string' ? description : undefined);

/** A member or a parameter as an option. */
export function fieldOf(name: string, schema: Schema, { about, isRequired }: Description): Field {
  const { items } = schema;
  const type = typeOf(items ?? schema);
  const isList = items !== undefined;
  const values = ((items ?? schema).enum ?? []).filter((value) => typeof value === 'string' && value !== '');
  return {
    ...{ name, type: isList && type !== 'text' && type !== 'integer' ? 'json' : type },
    ...(isList && { isList }),
    ...((items ?? schema).format === 'date-time' && { isTime: true }),
    ...(values.length > 0 && { values: values.map(String) }),
    ...(about && { about: about.split('\n- ', 1)[0] }),
    ...(isRequired && { isRequired }),
  } as Field;
}

function typeOf({ type, properties, $ref, enum: values }: Schema): Field['type'] {
  const types = [type ?? []].flat();
  if (properties) return 'object';
  if (types.includes('object')) return 'map';
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('integer')) return 'integer';
  if (types.includes('number')) return 'number';
  return types.includes('string') || (values !== undefined && $ref === undefined) ? 'text' : 'json';
}

const sets = { references: 'ids', roles: 'roles', attributes: 'attributes' } as const;

/** Members that have ids, although their contract has no reference: the entity may be gone, or they stand in a group. */
const looseReferences: Readonly<Record<string, string>> = {
  'primary.extJwt.allowedSigners': 'externalJwtSigners',
  'secondary.requireExtJwtSigner': 'externalJwtSigners',
  'enrollment.ottca': 'cas',
  enrollAuthPolicyId: 'authPolicies',
};

/** What the contract of an entity says of a member of a body. */
function contractOf(
  body: string,
  name: string,
): Pick<Field, 'to' | 'set' | 'semantic' | 'isInput' | 'safe' | 'schema'> {
  const [resource, contract] =
    Object.entries(contracts).find(([, { noun }]) => new RegExp(`^${noun}(Create|Update|Patch)$`).test(body)) ?? [];
  const fields: readonly [string, ContractField][] = Object.entries(contract?.fields ?? {});
  const [, field] = fields.find(([own, { body: sent = own }]) => sent === name) ?? [];
  const loose = Object.hasOwn(looseReferences, name) ? looseReferences[name] : undefined;
  const to = field?.to ?? loose ?? (resource === undefined || field === undefined ? namedBy(name) : undefined);
  const set = field && field.kind in sets ? sets[field.kind as keyof typeof sets] : undefined;
  const isInput = field?.kind === 'input';
  return {
    ...{ ...(to !== undefined && { to }), ...(set !== undefined && { set }), ...(isInput && { isInput }) },
    ...(field?.semantic !== undefined && { semantic: field.semantic }),
    ...(field?.safe && body.endsWith('Create') && { safe: field.safe }),
    ...schemaOf(field, contract?.fields ?? {}),
  };
}

function schemaOf(field: ContractField | undefined, fields: Readonly<Record<string, ContractField>>) {
  const [by = '', member = ''] = field?.describedBy?.split('.') ?? [];
  const to = fields[by]?.to;
  return to === undefined ? {} : { schema: { by, to, member } };
}

/** `serviceId` names a service. */
function namedBy(name: string): string | undefined {
  return Object.entries(contracts).find(([, { noun }]) => `${noun}Id` === name)?.[0];
}
