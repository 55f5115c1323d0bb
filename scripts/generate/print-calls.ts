import type { ApiTree, Operation } from '../../packages/shared-types/src/index.ts';
import { clientApi, managementApi } from '../../packages/shared-types/src/index.ts';
import { docComment } from './doc-comment.ts';
import { printQuery } from './print-entities.ts';
import type { Schema } from './print-type.ts';
import { isAllOptional, printType } from './print-type.ts';
import { words } from './read-docs.ts';

type Resource = ApiTree[string];

/** Prints one interface for each resource, and the two APIs that are made of them. */
export function printCalls() {
  const names = new Map<Resource, string>();
  const client = printApi('Client', clientApi, names);
  const management = printApi('Management', managementApi, names);
  return [...[...names].map(([resource, name]) => printResource(name, resource)), client, management].join('\n');
}

const apiDocs = {
  Client: 'The calls of the Client API, below `/edge/client/v1`. Applications use it to access services.',
  Management: 'The calls of the Management API, below `/edge/management/v1`. Administrators use it.',
};

/** `names` gets the name of each resource. Both APIs share some of them. */
function printApi(api: keyof typeof apiDocs, tree: ApiTree, names: Map<Resource, string>) {
  const members = Object.entries(tree).map(([key, resource]) => {
    const name = names.get(resource) ?? resourceName(api, key);
    names.set(resource, name);
    return `  readonly ${key}: ${name};\n`;
  });
  return `${docComment([apiDocs[api]])}export interface ${api}Calls {\n${members.join('')}}\n`;
}

const [client, management]: readonly [ApiTree, ApiTree] = [clientApi, managementApi];

function resourceName(api: string, key: string) {
  const isAmbiguous = key in client && key in management && client[key] !== management[key];
  return `${isAmbiguous ? api : ''}${key.charAt(0).toUpperCase()}${key.slice(1)}Calls`;
}

/** Calls that the SDK does not offer. A sign-in is more than its request: `edge.signIn` also keeps the session. */
const hidden: readonly Operation[] = [clientApi.authentication.authenticate, managementApi.authentication.authenticate];

function printResource(name: string, resource: Resource) {
  const calls = Object.entries(resource).filter(([, operation]) => !hidden.includes(operation));
  const text = `Calls below \`${Object.values(resource)[0]?.path}\`.`;
  return `${docComment([text])}export interface ${name} {\n${calls.map(printCall).join('')}}\n`;
}

function printCall([verb, operation]: [string, Operation]) {
  const parameters = parametersOf(operation);
  const params = parameters.map(({ name, text }) => `@param ${name} - ${text}`).join('\n');
  const route = `\`${operation.method} ${operation.path}\`. ${accessText(operation)}`;
  // `this: void`: a list call is given to `pages` without its object.
  const list = [
    'this: void',
    ...parameters.map(({ name, type, optional }) => `${name}${optional ? '?' : ''}: ${type}`),
  ];
  const signature = `  ${verb}(${list.join(', ')}): Promise<${resultOf(operation)}>;\n`;
  return docComment([`${operation.summary}.`, route, params], '  ') + signature;
}

function accessText({ access, permission }: Operation) {
  if (access === 'anyone') return 'Needs no session.';
  if (access === 'partial') return 'Needs a session, also a partial one.';
  if (access === 'full') return 'Needs a full session.';
  return permission === 'admin' ? 'Needs an administrator.' : `Needs the permission \`${permission}\`.`;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly optional: boolean;
}

function parametersOf({ path, query, headers, body, bodyOptional, result }: Operation): Parameter[] {
  const inPath = path.matchAll(/([\w-]+)\/\{(\w+)\}/g);
  const parameters: Parameter[] = [...inPath].map(([, collection = '', name = '']) => ({
    ...{ name, type: 'string', text: `The ${name} of the ${words(singular(collection))}.`, optional: false },
  }));
  const queryText = result === 'list' ? 'Filter, sort order and page.' : 'The query of the request.';
  if (query) parameters.push(parameter('query', query, printQuery(query), queryText));
  if (headers) parameters.push(parameter('headers', headers, printType(headers), 'Headers of the request.'));
  if (body) parameters.push(parameter('body', body, printType(body), 'The body of the request.'));
  parameters.push({ name: 'options', type: 'CallOptions', text: 'Signal and timeout of this call.', optional: true });
  const late = parameters.find(({ optional }, at) => !optional && parameters[at - 1]?.optional);
  if (late) throw new Error(`${path}: the parameter ${late.name} is required after an optional one`);
  if (bodyOptional && body && !isAllOptional(body)) throw new Error(`${path}: the optional body has required members`);
  return parameters;
}

const parameter = (name: string, schema: Schema, type: string, text: string) => ({
  ...{ name, type, text },
  optional: isAllOptional(schema),
});

const singular = (collection: string) => collection.replace(/ies$/, 'y').replace(/s$/, '');

function resultOf({ path, result, response, produces }: Operation) {
  if (response) return result === 'list' ? `ListPage<${printType(response)}>` : printType(response);
  if (result === 'create') return 'CreateLocation';
  if (result === 'empty') return 'undefined';
  const type = produces?.[0];
  if (result !== 'document' || type === undefined) throw new Error(`${path}: a response needs a schema or a type`);
  if (type.startsWith('image/')) return 'Blob';
  return type === 'application/json' ? 'Record<string, unknown>' : 'string';
}
