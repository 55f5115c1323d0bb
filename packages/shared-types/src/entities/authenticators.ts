import { z } from 'zod';
import { entity } from '../entity.ts';
import { dateTime } from '../envelope.ts';
import { derived, fixed, input, reference, required } from '../field.ts';

/** Length of user names and passwords. The auth policy of the identity may require longer passwords. */
export const username = z.string().min(4).max(100);
export const password = z.string().min(5).max(100);

/** POST checks the lengths itself, in the order of the wire. */
const created = z.string().max(100);
const certOnly = <S extends z.ZodType>(schema: S) => ({ ...derived(schema), detail: 'optional' }) as const;

/** A credential of an identity: a password (`updb`) or a certificate (`cert`). */
export const authenticators = entity({
  noun: 'authenticator',
  collection: 'authenticators',
  adminWrites: true,
  fields: {
    method: { ...fixed(z.string(), 'method'), shown: z.enum(['updb', 'cert']) },
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none' },
    username: {
      ...required(username, 'updbUsername'),
      create: 'optional',
      detail: 'optional',
      sent: { create: created },
    },
    password: { ...required(password), kind: 'input', create: 'optional', detail: 'none', sent: { create: created } },
    certPem: { ...input(z.string()), detail: 'optional', filter: ['certPem'] },
    fingerprint: { ...certOnly(z.string()), filter: ['certFingerprint'] },
    isIssuedByNetwork: certOnly(z.boolean()),
    isExtendRequested: certOnly(z.boolean()),
    isKeyRollRequested: certOnly(z.boolean()),
    extendRequestedAt: certOnly(dateTime),
    lastAuthResolvedToRoot: certOnly(z.boolean()),
  },
  links: ['identityId'],
});
