import { ApiError } from '../../core/api-error.ts';
import type { Middleware } from '../request-state.ts';
import type { Mounted } from './mounted.ts';

/** Refuses a body whose announced length is above the limit of the operation, before anything else is done. */
export function bodyLimit({ bodyLimit: limit }: Mounted): Middleware {
  return (ctx, next) => {
    if (Number(ctx.req.headers['content-length']) > limit) throw new ApiError('REQUEST_ENTITY_TOO_LARGE');
    return next();
  };
}
