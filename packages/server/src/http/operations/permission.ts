import type { Operation } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type { Middleware } from '../request-state.ts';

/** Whether a session may call an operation. */
export type Allows = (operation: Pick<Operation, 'access' | 'permission'>, session: ActiveSession) => boolean;

/** 401 without a challenge when the session may not call the operation: it is partial or lacks the permission. */
export function permission(operation: Operation, allows: Allows): Middleware {
  return (ctx, next) => {
    if (!ctx.state.session || !allows(operation, ctx.state.session)) throw new ApiError('UNAUTHORIZED');
    return next();
  };
}
