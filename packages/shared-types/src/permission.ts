/** What an operation does to an entity. */
export type Action = 'read' | 'create' | 'update' | 'delete';

/**
 * The permission that an `admin` operation needs: entity and action (`service.read`), or `admin` for administrators only.
 * Administrators have every permission.
 */
export type Permission = 'admin' | `${string}.${Action}`;
