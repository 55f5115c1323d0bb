// Prints the API trees as plain data, from which the command line and the console are made.
import { join } from 'node:path';
import type {
  Field,
  OperationEntry,
  OperationTable,
  Parameter,
  ResourceEntry,
} from '../packages/operation-tables/src/operation-table.ts';
import type { ApiName } from '../packages/server/src/documents/openapi/document.ts';
import { printDocument } from '../packages/server/src/documents/openapi/document.ts';
import type { OpenApiDocument, PrintedOperation, Schema } from '../packages/server/src/documents/openapi/parts.ts';
import type { ApiTree, Operation } from '../packages/shared-types/src/index.ts';
import { clientApi, contracts, managementApi } from '../packages/shared-types/src/index.ts';
import { root } from './bootstrap.mjs';
import { kindsOfBody } from './generate/field-kinds.ts';
import { bodyFields, fieldOf, refName } from './generate/operation-fields.ts';
import { readDocs } from './generate/read-docs.ts';
import { writeFiles } from './generate/write-files.ts';

const docsOf = readDocs(join(root, 'packages/shared-types/src'));
/** Where the parameters of queries are described. */
const queries = ['listQuery', 'roleListQuery', 'serviceQuery', 'policyTypeQuery', 'touchQuery'];
const trees: Readonly<Record<ApiName, ApiTree>> = { client: clientApi, management: managementApi };
const documents = { client: printDocument('client'), management: printDocument('management') };
const bodies: Record<string, Field[]> = {};

const results = { list: 'list', detail: 'detail', create: 'detail', created: 'detail', empty: 'empty' } as const;

function tableOf(api: ApiName): OperationTable {
  const document = documents[api];
  const printed = new Map(
    Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => [String(operation['x-operation']), operation]),
    ),
  );
  return Object.fromEntries(
    Object.entries(trees[api]).map(([resource, operations]) => [
      resource,
      resourceOf(document, resource, Object.entries(operations), (verb) => {
        const operation = printed.get(`${resource}.${verb}`);
        if (operation === undefined) throw new Error(`the document of ${api} has no ${resource}.${verb}`);
        return operation;
      }),
    ]),
  );
}

function resourceOf(
  document: OpenApiDocument,
  resource: string,
  operations: readonly [string, Operation][],
  printed: (verb: string) => PrintedOperation,
): ResourceEntry {
  const verbs = operations.map(([verb, operation]) => [verb, entryOf(document, operation, printed(verb))] as const);
  const [, list] = verbs.find(([verb]) => verb === 'list') ?? [];
  return {
    about: docsOf(resource)?.text ?? '',
    ...(list?.columns?.includes('name') && list.query && { hasNames: true }),
    verbs: Object.fromEntries(verbs),
  };
}

function entryOf(document: OpenApiDocument, operation: Operation, printed: PrintedOperation): OperationEntry {
  const { method, path, access, permission, summary, result } = operation;
  const places = (place: string) => printed.parameters.filter((one) => one.in === place);
  const params = places('path').map(({ name }) => parameterOf(path, name));
  const query = places('query').map((one) => fieldOf(one.name, one.schema, described(one)));
  const headers = places('header').map((one) => fieldOf(one.name, one.schema, described(one)));
  const columns = columnsOf(document, printed);
  return {
    summary,
    method,
    access,
    ...(permission !== undefined && { permission }),
    result: result === 'document' ? 'document' : results[result],
    ...(params.length > 0 && { params }),
    ...(query.length > 0 && { query }),
    ...(headers.length > 0 && { headers }),
    ...bodyOf(document, printed, operation),
    ...(columns.length > 0 && { columns }),
  };
}

function described({ name, required }: { readonly name: string; readonly required: boolean }) {
  const about = queries.map((one) => docsOf(one)?.members.get(name)).find((text) => text !== undefined);
  return { about, isRequired: required };
}

/** `/identities/{id}/policy-advice/{serviceId}`: `id` is that of an identity, `serviceId` that of a service. */
function parameterOf(path: string, name: string): Parameter {
  const list = path.slice(0, path.indexOf(`/{${name}}`));
  const owner = Object.entries<ApiTree[string]>(managementApi).find(([, { list: own }]) => own?.path === list)?.[0];
  const named = Object.entries(contracts).find(([, { noun }]) => `${noun}Id` === name)?.[0];
  const to = named ?? (name === 'id' ? owner : undefined);
  return { name, ...(to !== undefined && { to }) };
}

function bodyOf(
  document: OpenApiDocument,
  { requestBody }: PrintedOperation,
  operation: Operation,
): Pick<OperationEntry, 'body'> {
  if (requestBody === undefined) return {};
  const { schema } = requestBody.content['application/json'] ?? { schema: { type: 'string' } };
  const name = refName(schema.items ?? schema);
  if (name === undefined) return { body: 'text' };
  bodies[name] ??= bodyFields(name, document.components.schemas, kindsOfBody(name, operation.body));
  return { body: name, ...(schema.items && { isBodyList: true }) };
}

/** What a table does not show unless somebody asks for it: secrets, and texts that are long. */
const hiddenColumns =
  /^(_links|tags|createdAt|updatedAt)$|(Display|token|jwt|pem|fingerprint|codes|provisioningUrl|hash|jws)$/i;
/** What an entry of a log shows first. It has no id, and its time says which one it is. */
const entryColumns = ['createdAt', 'event', 'outcome', 'identityId', 'entityType', 'entityId'];

/** The columns of a table: what has one value, the id and the name first. */
function columnsOf({ components }: OpenApiDocument, { responses }: PrintedOperation): string[] {
  const [success] = Object.values(responses);
  const envelope = success?.content['application/json']?.schema.properties?.data;
  const row = envelope?.items ?? envelope;
  const id = row && refName(row);
  const { properties = {} } = (id === undefined ? row : components.schemas[id]) ?? {};
  const isEntry = 'createdAt' in properties && !('id' in properties);
  const names = Object.entries(properties).flatMap(([name, schema]) => {
    if (hiddenColumns.test(name) && !(isEntry && name === 'createdAt')) return [];
    if (name !== 'id' && name.endsWith('Id') && name.slice(0, -2) in properties) return [];
    if (refName(schema) === 'entityRef') return [`${name}.name`];
    return isScalar(schema) || isTexts(schema) ? [name] : [];
  });
  const rest = names.toSorted((one, other) => rankOf(one) - rankOf(other));
  const first = isEntry ? entryColumns.filter((name) => names.includes(name)) : [];
  return [...new Set([...first, ...rest])];
}

/** Whether something works now: who looks at a table asks that before how it is set. */
const stateColumns = /^(disabled|enabled|state|expiresAt|hasApiSession|is(Online|Verified))$/;

/** What few entities have. */
const rareColumns = /^(externalIdSigner\.name|lacksSecondFactor)$/;

/** Who and what first, then how it is, ids of others last. */
function rankOf(name: string): number {
  const at = ['id', 'name'].indexOf(name);
  if (at >= 0) return at;
  if (rareColumns.test(name)) return 5;
  if (name.endsWith('.name')) return 2;
  if (stateColumns.test(name)) return 3;
  return name.endsWith('Id') ? 5 : 4;
}

const typesOf = ({ type }: Schema) => [type ?? []].flat();

function isScalar(schema: Schema): boolean {
  return typesOf(schema).some((type) => /^(string|boolean|integer|number)$/.test(String(type)));
}

function isTexts({ items, ...schema }: Schema): boolean {
  return typesOf(schema).includes('array') && items?.type === 'string';
}

const management = tableOf('management');
const client = tableOf('client');
const json = (value: object) => () => `${JSON.stringify(value, undefined, 1)}\n`;

await writeFiles({
  'packages/operation-tables/src/generated/management.json': json(management),
  'packages/operation-tables/src/generated/client.json': json(client),
  'packages/operation-tables/src/generated/bodies.json': json(bodies),
});
