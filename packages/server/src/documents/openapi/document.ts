import type { ApiTree, Operation } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import { describeTag } from './descriptions.ts';
import { operationId } from './operation-id.ts';
import type { OpenApiDocument, Part, PrintedOperation } from './parts.ts';
import { content, printResponses, signsInWithJwt } from './responses.ts';
import { printBody, printDefinitions, printParameters, reachable } from './schemas.ts';

export type ApiName = 'client' | 'management';

const apis: Readonly<Record<ApiName, { tree: ApiTree; title: string; description: string }>> = {
  client: {
    tree: clientApi,
    title: 'Edge Client API',
    description: 'The API that applications use to access services. It is also at /edge/v1.',
  },
  management: {
    tree: managementApi,
    title: 'Edge Management API',
    description: 'The API for administrators, and for identities with permissions.',
  },
};

const json = 'application/json';

/** Prints the OpenAPI 3.1 document of one API from its tree. */
export function printDocument(api: ApiName): OpenApiDocument {
  const { tree, title, description } = apis[api];
  const paths = printPaths(tree);
  return {
    openapi: '3.1.1',
    info: { title, description, version: 'v1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: `/edge/${api}/v1` }],
    tags: Object.keys(tree).map(describeTag),
    paths,
    components: { securitySchemes, schemas: reachable(paths, printDefinitions()) },
  };
}

const securitySchemes = {
  session: {
    ...{ type: 'apiKey', in: 'header', name: 'svc-session' },
    description: 'The token of an API session. The setting web.sessionHeaders can add other header names.',
  },
  bearer: {
    ...{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    description:
      'A JWT of an external signer: to sign in with the method ext-jwt, to enroll, or as a second factor with every request when the auth policy requires it. A request may have up to three of these headers.',
  },
};

function printPaths(tree: ApiTree): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, PrintedOperation>> = {};
  for (const [resource, operations] of Object.entries(tree)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const { path, method } = operation;
      paths[path] = { ...paths[path], [method.toLowerCase()]: printOperation(resource, verb, operation) };
    }
  }
  return paths;
}

function printOperation(resource: string, verb: string, operation: Operation): PrintedOperation {
  const name = `${resource}.${verb}`;
  const { path, access, permission, summary } = operation;
  return {
    operationId: operationId(resource, verb, path),
    tags: [resource],
    summary,
    parameters: [
      ...printParameters('path', operation.params),
      ...printParameters('query', operation.query),
      ...printParameters('header', operation.headers).filter(({ name: header }) => header !== 'authorization'),
    ],
    ...requestBody(operation, name),
    responses: printResponses(operation, name),
    security: printSecurity(operation),
    'x-operation': name,
    'x-access': access,
    ...(permission && { 'x-permission': permission }),
  };
}

function requestBody({ body, bodyOptional, consumes, textMember }: Operation, name: string) {
  if (!body) return {};
  const types = consumes ?? [body.type === 'string' ? 'text/plain' : json];
  const asText = types.filter((type) => textMember !== undefined && type !== json);
  const asBody = types.filter((type) => !asText.includes(type));
  return {
    requestBody: {
      required: !bodyOptional,
      content: { ...content(asBody, printBody(body, name)), ...content(asText, { type: 'string' }) },
    },
  };
}

/** Returns the alternatives. The empty one needs no header, as other methods of authentication. */
function printSecurity(operation: Operation): Part[] {
  const { access, headers } = operation;
  if (access !== 'anyone') return [{ session: [] }, { session: [], bearer: [] }];
  if (headers && 'authorization' in headers.shape) return [{ bearer: [] }];
  return signsInWithJwt(operation) ? [{}, { bearer: [] }] : [];
}
