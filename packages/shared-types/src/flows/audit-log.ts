import { z } from 'zod';
import { define } from '../definitions.ts';
import { anyObject, dateTime, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** An entry of the audit log: one act, who did it, and what became of it. */
const auditEntryDetail = define(
  'auditEntryDetail',
  z.object({
    /** 1, 2, 3 … without gaps, over all controllers of the network. */
    sequence: z.number(),
    /** When the act happened, by the clock of the controller that wrote the entry. RFC 3339, UTC. */
    createdAt: dateTime,
    /** The name of the act, such as `entity.updated`. docs/events.md has all of them. */
    event: z.string(),
    /** Whether the act was done, or refused. */
    outcome: z.enum(['success', 'failure']),
    /** The identity that acted. Null: the controller itself, or nobody whom it knows. */
    identityId: z.string().nullable(),
    /** The kind of what was acted on, singular in camel case: `authPolicy`. Null: nothing in particular. */
    entityType: z.string().nullable(),
    entityId: z.string().nullable(),
    /** What belongs to the act. docs/events.md has the members of each event. It has no secrets. */
    details: anyObject,
    /** The address of the client. Null: no request asked for the act. */
    ipAddress: z.string().nullable(),
    /** The id of the request in the logs and in error responses. Null: no request asked for the act. */
    requestId: z.string().nullable(),
    /** SHA-256 over the hash of the entry before and the members of this one, in hex. */
    hash: z.string(),
  }),
);

/** What a controller has signed about the audit log: that it had this entry with this hash. */
const auditCheckpointDetail = define(
  'auditCheckpointDetail',
  z.object({
    /** `checkpoint`: the last entry at that time. `anchor`: the last of the entries that were removed because of their age. */
    kind: z.enum(['checkpoint', 'anchor']),
    sequence: z.number(),
    /** The hash of this entry, in hex. */
    hash: z.string(),
    /** When it was signed. RFC 3339, UTC. */
    createdAt: dateTime,
    /** The signed text: a JWS in the compact form, whose header has the certificate of the controller. */
    jws: z.string(),
  }),
);

export type AuditEntryDetail = z.output<typeof auditEntryDetail>;
export type AuditCheckpointDetail = z.output<typeof auditCheckpointDetail>;

/** Who did what. Entries are never changed; `edge-controller audit verify` checks that. */
export const auditLog = defineResource({
  list: {
    method: 'GET',
    path: '/audit-log',
    access: 'admin',
    permission: 'audit-log.read',
    result: 'list',
    query: listQuery,
    response: auditEntryDetail,
    summary: 'Lists entries of the audit log, the newest first',
  },
  checkpoints: {
    method: 'GET',
    path: '/audit-log/checkpoints',
    access: 'admin',
    permission: 'audit-log.read',
    result: 'list',
    response: auditCheckpointDetail,
    summary: 'Lists what the controllers have signed about the audit log, the newest first',
  },
});
