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

/** What a redeemed enrollment brings. The method `updb`: the user name to sign in with. */
export const enrollmentResult = define('enrollmentResult', z.object({ username: z.string().optional() }));

export type GenericEnroll = z.output<typeof genericEnroll>;
export type EnrollmentResult = z.output<typeof enrollmentResult>;

/** Bytes. Certificate chains and signing requests can be larger than the default limit. */
const bodyLimit = 65_536;

export const enroll = defineResource({
  enroll: {
    method: 'POST',
    path: '/enroll',
    access: 'anyone',
    attempt: true,
    result: 'detail',
    query: z.object({ method: z.string().optional(), token: z.string().optional() }),
    body: genericEnroll,
    bodyOptional: true,
    bodyLimit,
    consumes: ['application/json', 'application/pkcs7', 'application/x-pem-file', 'text/plain'],
    textMember: 'clientCsr',
    response: enrollmentResult,
    summary: 'Redeems an enrollment; its token works once',
  },
  updb: {
    method: 'POST',
    path: '/enroll/updb',
    access: 'anyone',
    attempt: true,
    result: 'detail',
    query: z.object({ token: z.string() }),
    body: genericEnroll,
    bodyOptional: true,
    response: enrollmentResult,
    summary: 'Redeems an enrollment of method updb',
  },
});
