import { z } from 'zod';
import { define } from '../definitions.ts';
import { defineResource } from '../operation.ts';

/** Body of an enrollment. The method `updb` uses only `password`. The enrollment already has the user name. */
export const genericEnroll = define(
  'genericEnroll',
  z.object({
    username: z.string().max(100).nullish(),
    password: z.string().min(5).max(100).nullish(),
    clientCsr: z.string().nullish(),
    name: z.string().nullish(),
  }),
);

export type GenericEnroll = z.output<typeof genericEnroll>;

/** Bytes. Certificate chains and signing requests can be larger than the default limit. */
const bodyLimit = 65_536;

export const enroll = defineResource({
  enroll: {
    method: 'POST',
    path: '/enroll',
    access: 'anyone',
    attempt: true,
    result: 'empty',
    query: z.object({ method: z.string().optional(), token: z.string().optional() }),
    body: genericEnroll,
    bodyOptional: true,
    bodyLimit,
    consumes: ['application/json', 'application/pkcs7', 'application/x-pem-file', 'text/plain'],
    textMember: 'clientCsr',
    summary: 'Redeems an enrollment; its token works once',
  },
  updb: {
    method: 'POST',
    path: '/enroll/updb',
    access: 'anyone',
    attempt: true,
    result: 'empty',
    query: z.object({ token: z.string().optional() }),
    body: genericEnroll,
    bodyOptional: true,
    summary: 'Redeems an enrollment of method updb',
  },
});
