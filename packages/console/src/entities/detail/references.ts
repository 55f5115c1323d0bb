import type { OperationTable } from '@edge-controller/operation-tables';
import { isRow, resourceOf } from '@edge-controller/operation-tables';

/** Another entity, as the controller shows it. */
export interface Reference {
  readonly resource: string;
  readonly id: string;
  readonly name: string;
}

/** The resource with a page for each entity whose link is `./auth-policies/…`; or `null`. */
export function resourceOfHref(href: unknown, table: OperationTable): string | null {
  const [, path = ''] = typeof href === 'string' ? (/^\.\/([\w-]+)\/[^/]+$/.exec(href) ?? []) : [];
  return resourceWithPages(path, table);
}

/** `null` for a value that refers to nothing. */
export function referenceOf(value: unknown, table: OperationTable): Reference | null {
  if (!isRow(value) || typeof value.entity !== 'string' || typeof value.id !== 'string') return null;
  const resource = resourceWithPages(value.entity, table);
  return resource === null ? null : { resource, id: value.id, name: String(value.name ?? value.id) };
}

/** The names in the roles of a policy: `@id` → `@name`. `shown`: what the controller shows of the roles. */
export function roleNames(shown: unknown): (role: string) => string {
  const rows = Array.isArray(shown) ? shown.filter(isRow) : [];
  const names = new Map(rows.map(({ role, name }) => [String(role), String(name)]));
  return (role) => names.get(role) ?? role;
}

/** `auth-policies` of the wire → `authPolicies` of the API tree. */
function resourceWithPages(path: string, table: OperationTable): string | null {
  const resource = path.replaceAll(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
  return resourceOf(table, resource)?.verbs.get?.params?.length === 1 ? resource : null;
}
