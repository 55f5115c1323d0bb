import { clientApi, managementApi } from '../../packages/shared-types/src/index.ts';
import { docComment } from './doc-comment.mjs';
import { printQuery } from './print-entities.mjs';
import { isAllOptional, printType } from './print-type.mjs';
import { words } from './read-docs.mjs';

/** Prints one interface for each resource, and the two APIs that are made of them. */
export function printCalls() {
  const names = new Map();
  const client = printApi('Client', clientApi, names);
  const management = printApi('Management', managementApi, names);
  return [...[...names].map(([resource, name]) => printResource(name, resource)), client, management].join('\n');
}

const apiDocs = {
  Client: 'The calls of the Client API, below `/edge/client/v1`. Applications use it to access services.',
  Management: 'The calls of the Management API, below `/edge/management/v1`. Administrators use it.',
};

/** `names` gets the name of each resource. Both APIs share some of them. */
function printApi(api, tree, names) {
  const members = Object.entries(tree).map(([key, resource]) => {
    if (!names.has(resource)) names.set(resource, resourceName(api, key));
    return `  readonly ${key}: ${names.get(resource)};\n`;
  });
  return `${docComment([apiDocs[api]])}export interface ${api}Calls {\n${members.join('')}}\n`;
}

function resourceName(api, key) {
  const isAmbiguous = key in clientApi && key in managementApi && clientApi[key] !== managementApi[key];
  return `${isAmbiguous ? api : ''}${key[0].toUpperCase()}${key.slice(1)}Calls`;
}

function printResource(name, resource) {
  const text = `Calls below \`${Object.values(resource)[0].path}\`.`;
  return `${docComment([text])}export interface ${name} {\n${Object.entries(resource).map(printCall).join('')}}\n`;
}

function printCall([verb, operation]) {
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

function accessText({ access, permission }) {
  if (access === 'anyone') return 'Needs no session.';
  if (access === 'partial') return 'Needs a session, also a partial one.';
  if (access === 'full') return 'Needs a full session.';
  return permission === 'admin' ? 'Needs an administrator.' : `Needs the permission \`${permission}\`.`;
}

function parametersOf({ path, query, headers, body, bodyOptional, result }) {
  const parameters = [...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)].map(([, collection, name]) => ({
    ...{ name, type: 'string', text: `The ${name} of the ${words(singular(collection))}.`, optional: false },
  }));
  const queryText = result === 'list' ? 'Filter, sort order and page.' : 'The query of the request.';
  if (query) parameters.push(parameter('query', query, printQuery(query), queryText));
  if (headers) parameters.push(parameter('headers', headers, printType(headers), 'Headers of the request.'));
  if (body) parameters.push(parameter('body', body, printType(body), 'The body of the request.'));
  parameters.push({ name: 'options', type: 'CallOptions', text: 'Signal and timeout of this call.', optional: true });
  const late = parameters.find(({ optional }, at) => !optional && parameters[at - 1]?.optional);
  if (late) throw new Error(`${path}: the parameter ${late.name} is required after an optional one`);
  if (bodyOptional && !isAllOptional(body)) throw new Error(`${path}: the optional body has required members`);
  return parameters;
}

const parameter = (name, schema, type, text) => ({ name, type, text, optional: isAllOptional(schema) });

const singular = (collection) => collection.replace(/ies$/, 'y').replace(/s$/, '');

function resultOf({ result, response, produces }) {
  if (result === 'list') return `ListPage<${printType(response)}>`;
  if (result === 'create') return 'CreateLocation';
  if (result === 'empty') return 'undefined';
  if (result !== 'document') return printType(response);
  if (produces[0].startsWith('image/')) return 'Blob';
  return produces[0] === 'application/json' ? 'Record<string, unknown>' : 'string';
}
