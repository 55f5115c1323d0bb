import { grantable } from '@edge-controller/shared-types';

/** What an identity may do on the Management API. */
export interface Rights {
  readonly isAdmin: boolean;
  /** Each with an action: `service` is `service.read`, `service.create` and so on. */
  readonly permissions: ReadonlySet<string>;
}

export const noRights: Rights = { isAdmin: false, permissions: new Set() };

/** The columns of an identity with its rights, for `select`. */
export const rightsColumns = ['isAdmin', 'isDefaultAdmin', 'permissions'] as const;

interface Row {
  readonly isAdmin: number;
  readonly isDefaultAdmin: number;
  readonly permissions: string | null;
}

export function rightsOf({ isAdmin, isDefaultAdmin, permissions }: Row): Rights {
  return {
    isAdmin: isAdmin === 1 || isDefaultAdmin === 1,
    permissions: withActions(permissions === null ? [] : JSON.parse(permissions)),
  };
}

const actionsOf = new Map<string, readonly string[]>(Object.entries(grantable));

/** Permissions with an entity alone stand for all its actions. */
export function withActions(permissions: readonly string[]): ReadonlySet<string> {
  return new Set(permissions.flatMap((name) => actionsOf.get(name)?.map((action) => `${name}.${action}`) ?? [name]));
}

/** Whether somebody has a permission, as an operation names it. */
export function hasPermission({ isAdmin, permissions }: Rights, permission: string): boolean {
  return isAdmin || permissions.has(permission) || (permission.endsWith('.read') && permissions.has('admin_readonly'));
}

/** Whether somebody has all rights of somebody else. Otherwise the one could gain rights by becoming the other. */
export function covers(one: Rights, other: Rights): boolean {
  return (
    one.isAdmin || (!other.isAdmin && [...other.permissions].every((permission) => hasPermission(one, permission)))
  );
}

/** Whether somebody has any right. */
export function hasRights({ isAdmin, permissions }: Rights): boolean {
  return isAdmin || permissions.size > 0;
}

const enrollmentMakers = ['enrollment.create', 'enrollment.update'];
/** Any of these permissions lets its holder make a credential of an identity. */
const makers = [...enrollmentMakers, 'identity.create'];
/** The same for routers. */
const routerMakers = [...enrollmentMakers, 'router.create', 'router.update'];

/** Whether somebody may see a secret with which one could become `other`: only who could have made it. */
export function maySeeSecretsOf(one: Rights, other: Rights): boolean {
  return covers(one, other) && makers.some((permission) => hasPermission(one, permission));
}

/** Whether somebody may see a secret that enrolls a router: only who could have made it. */
export function maySeeSecretsOfRouters(one: Rights): boolean {
  return routerMakers.some((permission) => hasPermission(one, permission));
}
