import { z } from 'zod';
import { define } from '../definitions.ts';
import { ofKinds } from '../kinds.ts';
import { defineResource } from '../operation.ts';

const text = (max: number) => z.string().max(max);
const prints = z.array(text(500)).max(100);
/** The id of the posture check that asked. Of `ENDPOINT_STATE`: any. */
const id = text(500);

/** What a client says about its device, as an answer to a posture query of a service. The kind says which members it has. */
const postureResponseCreate = define(
  'postureResponseCreate',
  ofKinds(
    z.object({
      id,
      typeId: z.enum(['OS']),
      /** `Linux`, `Windows`, `WindowsServer`, `macOS`, `iOS` or `Android`, in any case. */
      type: text(100),
      /** A full semantic version: `10.0.19045`. */
      version: text(100),
      build: text(100).optional(),
    }),
    z.object({
      id,
      typeId: z.enum(['DOMAIN']),
      /** The Windows domain of the device. */
      domain: text(500),
    }),
    z.object({
      id,
      typeId: z.enum(['MAC']),
      /** With or without separators, in any case. */
      macAddresses: z.array(text(100)).max(100),
    }),
    z.object({
      id,
      /** Answers `PROCESS`, and one process of `PROCESS_MULTI`. */
      typeId: z.enum(['PROCESS']),
      path: text(2_000).optional(),
      isRunning: z.boolean().optional(),
      /** SHA-512 of the program, in hex. */
      hash: text(500).optional(),
      /** Of the certificates that have signed the program. */
      signerFingerprints: prints.optional(),
    }),
    z.object({
      id,
      typeId: z.enum(['ENDPOINT_STATE']),
      /** The device has just woken up. */
      woken: z.boolean().optional(),
      /** The device has just been unlocked. */
      unlocked: z.boolean().optional(),
    }),
  ),
);

/** A service for which a TOTP code is needed sooner than before. */
const postureResponseService = define(
  'postureResponseService',
  z.object({
    id: z.string(),
    name: z.string(),
    postureQueryType: z.string(),
    /** Seconds for which a code counts. -1: for ever. */
    timeout: z.number().int(),
    /** Seconds until another code is needed. */
    timeoutRemaining: z.number().int(),
  }),
);

/** What a posture response has changed. */
const postureResponse = define('postureResponse', z.object({ services: z.array(postureResponseService) }));

export type PostureResponseCreate = z.output<typeof postureResponseCreate>;
export type PostureResponse = z.output<typeof postureResponse>;

/** Answers a posture query. */
export const postureResponses = defineResource({
  create: {
    method: 'POST',
    path: '/posture-response',
    access: 'full',
    result: 'created',
    body: postureResponseCreate,
    response: postureResponse,
    summary: 'Answers one posture query for this API session',
  },
  createBulk: {
    method: 'POST',
    path: '/posture-response-bulk',
    access: 'full',
    result: 'created',
    body: z.array(postureResponseCreate).max(200),
    response: postureResponse,
    summary: 'Answers several posture queries for this API session: all or none',
  },
});
