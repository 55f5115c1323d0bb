/** What an operation does to an entity. */
export type Action = 'read' | 'create' | 'update' | 'delete';

/**
 * The permission that an `admin` operation needs: entity and action (`service.read`), or `admin` for administrators only.
 * Administrators have every permission.
 */
export type Permission = 'admin' | `${string}.${Action}`;

const allActions = ['read', 'create', 'update', 'delete'] as const;

/** What identities can have permissions for, and its actions. Anything else is for administrators. */
export const grantable = {
  'audit-log': ['read'],
  'auth-policy': allActions,
  ca: allActions,
  config: allActions,
  'config-type': allActions,
  'edge-router-policy': allActions,
  enrollment: allActions,
  'external-jwt-signer': allActions,
  identity: allActions,
  /** What runs: API sessions, links and circuits, and the summary. */
  ops: ['read', 'update', 'delete'],
  'posture-check': allActions,
  router: allActions,
  service: allActions,
  'service-edge-router-policy': allActions,
  'service-policy': allActions,
  terminator: allActions,
} as const satisfies Readonly<Record<string, readonly Action[]>>;

type Grantable = typeof grantable;

/**
 * What `permissions` of an identity may have: `admin_readonly` (every read), an entity with all its actions (`service`), or with
 * one (`service.read`).
 */
export type PermissionName =
  | 'admin_readonly'
  | { [E in keyof Grantable]: E | `${E}.${Grantable[E][number]}` }[keyof Grantable];

/** All of them. The set is closed. */
export const permissionNames = [
  'admin_readonly',
  ...Object.entries(grantable).flatMap(([entity, actions]) => [
    entity,
    ...actions.map((action) => `${entity}.${action}`),
  ]),
] as ['admin_readonly', ...PermissionName[]];
