import { z } from 'zod';
import { define } from '../definitions.ts';
import { apiSessionFields } from '../entities/api-sessions.ts';
import { dateTime } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** The caller's own API session (specification 2.2). `expirationSeconds` is the session timeout in seconds. */
export const currentApiSessionDetail = define(
  'currentApiSessionDetail',
  z.object({ ...apiSessionFields, expirationSeconds: z.number(), expiresAt: dateTime }),
);

export type CurrentApiSessionDetail = z.output<typeof currentApiSessionDetail>;

export const currentApiSession = defineResource({
  get: {
    method: 'GET',
    path: '/current-api-session',
    access: 'partial',
    result: 'detail',
    response: currentApiSessionDetail,
    summary: 'Reads the API session of the caller',
  },
  delete: {
    method: 'DELETE',
    path: '/current-api-session',
    access: 'partial',
    result: 'empty',
    summary: 'Ends the API session of the caller',
  },
});
