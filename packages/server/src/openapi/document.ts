import type { ApiTree, Operation } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import { operationId } from './operation-id.ts';
import { printResponses, signsInWithJwt } from './responses.ts';
import type { Part } from './schemas.ts';
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
    description: 'The API for administrators.',
  },
};

const json = 'application/json';

/** Prints the OpenAPI 2.0 document of one API from its tree. */
export function printDocument(api: ApiName): Part {
  const { tree, title, description } = apis[api];
  const paths = printPaths(tree);
  return {
    swagger: '2.0',
    info: { title, description, version: 'v1', license: { name: 'Apache-2.0' } },
    basePath: `/edge/${api}/v1`,
    schemes: ['https'],
    consumes: [json],
    produces: [json],
    tags: Object.keys(tree).map((name) => ({ name })),
    securityDefinitions: {
      session: {
        ...{ type: 'apiKey', in: 'header', name: 'svc-session' },
        description: 'The token of an API session. The setting web.sessionHeaders can add other header names.',
      },
      bearer: {
        ...{ type: 'apiKey', in: 'header', name: 'Authorization' },
        description:
          'Bearer and a JWT of an external signer: to sign in with the method ext-jwt, to enroll, or as a second factor with every request when the auth policy requires it. A request may have up to three of these headers.',
      },
    },
    paths,
    definitions: reachable(paths, printDefinitions()),
  };
}

function printPaths(tree: ApiTree): Record<string, Record<string, Part>> {
  const paths: Record<string, Record<string, Part>> = {};
  for (const [resource, operations] of Object.entries(tree)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const { path, method } = operation;
      paths[path] = { ...paths[path], [method.toLowerCase()]: printOperation(resource, verb, operation) };
    }
  }
  return paths;
}

function printOperation(resource: string, verb: string, operation: Operation): Part {
  const name = `${resource}.${verb}`;
  const { path, access, permission, summary, produces } = operation;
  const consumes = operation.consumes ?? (operation.body?.type === 'string' ? ['text/plain'] : undefined);
  return {
    operationId: operationId(resource, verb, path),
    tags: [resource],
    summary,
    ...(consumes && { consumes }),
    ...(produces && { produces }),
    parameters: [
      ...printParameters('path', operation.params),
      ...printParameters('query', operation.query),
      ...printParameters('header', operation.headers),
      ...bodyParameter(operation, name),
    ],
    responses: printResponses(operation, name),
    security: printSecurity(operation),
    'x-operation': name,
    'x-access': access,
    ...(permission && { 'x-permission': permission }),
  };
}

function bodyParameter({ body, bodyOptional }: Operation, name: string): Part[] {
  if (!body) return [];
  return [{ name: 'body', in: 'body', required: !bodyOptional, schema: printBody(body, name) }];
}

/** Returns the alternatives. The empty one needs no header, as other methods of authentication. */
function printSecurity(operation: Operation): Part[] {
  const { access, headers } = operation;
  if (access !== 'anyone') return [{ session: [] }, { session: [], bearer: [] }];
  if (headers && 'authorization' in headers.shape) return [{ bearer: [] }];
  return signsInWithJwt(operation) ? [{}, { bearer: [] }] : [];
}
