import { ApiError } from '../../api-error.ts';
import type { Middleware } from '../request-state.ts';

/** Bytes that the body of any request may have; many operations take less. */
export const maxBodyLength = 1_048_576;

/** Refuses a body whose announced length is above the limit of all operations, before a byte of it is read. */
export const bodyLimit: Middleware = (ctx, next) => {
  const length = ctx.req.headers['content-length'];
  if (length !== undefined && Number(length) > maxBodyLength) throw new ApiError('REQUEST_ENTITY_TOO_LARGE');
  return next();
};
