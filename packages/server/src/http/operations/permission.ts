import type { Operation } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type { Context, Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';
import type { Mounted } from './mounted.ts';

/** Whether a session may call an operation. */
export type Allows = (
  operation: Pick<Operation, 'access' | 'permission' | 'answers'>,
  session: ActiveSession,
) => boolean;

/** A request of somebody who lacks a right. */
export interface Denied {
  /** As in the OpenAPI documents. */
  readonly operation: string;
  /** The permission of the operation. The session may have it, and lack the right to what it asks for. */
  readonly permission: string | null;
  readonly session: ActiveSession;
  readonly clientAddress: string;
  readonly requestId: () => string;
}

export interface PermissionOptions {
  readonly allows: Allows;
  /** Resolves when the refusal is recorded. Default: nobody records it. */
  readonly recordDenied?: (denied: Denied) => Promise<void>;
}

/**
 * 401 without a challenge when the session may not call the operation: it is partial or lacks the permission. Of a partial session
 * nothing is recorded: who is not signed in completely lacks no right yet.
 */
export function permission({ id, operation }: Mounted, { allows, recordDenied }: PermissionOptions): Middleware {
  const { access, permission: needed = null } = operation;
  const refuse = async (ctx: Context, error = new ApiError('UNAUTHORIZED')): Promise<never> => {
    const { session } = ctx.state;
    if (recordDenied && session && session.state.authQueries.length === 0) {
      const request = { clientAddress: ctx.ip, requestId: () => requestIdOf(ctx) };
      await recordDenied({ operation: id, permission: needed, session, ...request });
    }
    throw error;
  };
  const mayRefuse = (ctx: Context, error: unknown) => (isOfRights(error) ? refuse(ctx, error) : Promise.reject(error));
  return (ctx, next) => {
    const { session } = ctx.state;
    if (!session || !allows(operation, session)) return refuse(ctx);
    return access === 'admin' ? next().catch((error) => mayRefuse(ctx, error)) : next();
  };
}

/** A handler says which right is missing. Without a cause, the session has ended meanwhile. */
function isOfRights(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'UNAUTHORIZED' && error.detail !== undefined;
}
