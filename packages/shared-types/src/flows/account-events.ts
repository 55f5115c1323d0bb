import { z } from 'zod';
import { define } from '../definitions.ts';
import { dateTime } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** What happened to the account of the caller. */
const accountEvent = define(
  'accountEvent',
  z.object({
    /** When it happened, RFC 3339, UTC. */
    createdAt: dateTime,
    /** The name of the entry of the audit log, such as `authentication.failed`. docs/events.md has all of them. */
    event: z.string(),
    /** Whether it was done, or refused. */
    outcome: z.enum(['success', 'failure']),
    /** True when it was done in the name of the caller. False: by an administrator, or by somebody who was refused. */
    byOwner: z.boolean(),
    /** The address that it came from. Null: the controller did it, or an administrator. */
    ipAddress: z.string().nullable(),
  }),
);

export type AccountEvent = z.output<typeof accountEvent>;

/** What happened to the account of the caller, from the audit log. */
export const currentIdentityEvents = defineResource({
  list: {
    method: 'GET',
    path: '/current-identity/events',
    access: 'full',
    result: 'list',
    response: accountEvent,
    summary:
      'Lists the last 50 sign-ins of the caller, refused ones too, and changes of its credentials; the newest first',
  },
});
