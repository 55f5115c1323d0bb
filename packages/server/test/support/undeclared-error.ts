import type { ApiTree, Operation } from '@edge-controller/shared-types';
import { clientApi, fabricApi, managementApi } from '@edge-controller/shared-types';
import { printResponses } from '../../src/documents/openapi/responses.ts';

/** Errors of these statuses belong to an operation. Those of others can come before it is known, or with every one. */
const statuses = [400, 404, 409, 429];

interface Declared {
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  /** The description of a response has its codes. */
  readonly responses: Readonly<Record<string, { readonly description?: unknown }>>;
}

const apis = {
  edge: declaredBy(clientApi),
  'edge/client': declaredBy(clientApi),
  'edge/management': declaredBy(managementApi),
  fabric: declaredBy(fabricApi),
};

/**
 * Says which error of a response the OpenAPI document of its operation does not have. `null`: it has the error, or the path
 * is none of an operation. Every request of a test passes this check, so that no error stays undeclared.
 */
export function undeclaredError(
  method: string,
  target: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): string | null {
  const code = codeOf(body);
  if (!statuses.includes(status) || code === null) return null;
  const [, api = 'edge', path = ''] = /^\/(edge(?:\/client|\/management)?|fabric)\/v1(\/[^?]*)/.exec(target) ?? [];
  const operation = apis[api as keyof typeof apis].find((row) => row.method === method && row.path.test(path));
  if (!operation) return null;
  const codes = String(operation.responses[status]?.description ?? '').split(', ');
  if (codes.includes(code)) return null;
  return `${operation.name} does not declare ${status} ${code}: add it to \`errors\` of the operation`;
}

function codeOf(body: unknown): string | null {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null;
}

function declaredBy(tree: ApiTree): Declared[] {
  return Object.entries(tree).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([verb, operation]) => declaredOf(`${resource}.${verb}`, operation)),
  );
}

function declaredOf(name: string, operation: Operation): Declared {
  const { method, path } = operation;
  const pattern = path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+');
  return { name, method, path: new RegExp(`^${pattern}/?$`), responses: printResponses(operation, name) };
}
