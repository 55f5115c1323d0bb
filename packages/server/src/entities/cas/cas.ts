import { isDeepStrictEqual } from 'node:util';
import { readCertificate } from '@edge-controller/certificate-path';
import { invalidField } from '../../core/api-error.ts';
import { base62Id } from '../../core/secrets/ids.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { duplicateValue } from '../../crud/unique.ts';
import { readCaCertificate } from '../../pki/ca-certificate.ts';
import type { Caller } from '../dependencies.ts';
import { authorize } from './authorize.ts';
import { completeClaim } from './external-id-claim.ts';

const defaultNameFormat = '[caName]-[commonName]';

export const cas = defineEntity<'cas', Caller>('cas', {
  fields: {
    name: { taken: duplicateValue('name', 'cas') },
    fingerprint: { taken: () => certificateUsed('') },
    isVerified: { affectsSessions: true },
    isAuthEnabled: { affectsSessions: true },
    externalIdClaim: { affectsSessions: true },
  },

  authorize,

  async prepare(change, next, previous) {
    const registered = change.verb === 'create' ? await register(change, next.certPem) : {};
    refusePrefixed(next.identityRoles ?? []);
    const externalIdClaim = completeClaim(isClaimCleared(change) ? null : next.externalIdClaim);
    const isOff = previous?.isAuthEnabled && !next.isAuthEnabled;
    // Those sessions are of identities that the former claim has named.
    const endsSignIns = previous !== null && (isOff || !isDeepStrictEqual(externalIdClaim, previous.externalIdClaim));
    return {
      ...registered,
      identityNameFormat: next.identityNameFormat || defaultNameFormat,
      externalIdClaim,
      authVersion: next.authVersion + (endsSignIns ? 1 : 0),
    };
  },

  async written({ unit }, next, previous) {
    if (previous && next.authVersion !== previous.authVersion) {
      await unit.affect({ kind: 'endCaSessions', caId: next.id });
    }
  },

  beforeDelete: ({ unit }, { id }) => unit.affect({ kind: 'endCaSessions', caId: id }),
});

async function register({ unit: { caller, tx } }: ProposedChange<Caller>, certPem: string) {
  const { fingerprint, publicKey } = readCaCertificate(certPem, caller.clock());
  const { roots, intermediates } = caller.pki.anchors;
  // What it issues is verified as a certificate of the network, so the flags and the claim of the CA would have no effect.
  if ([...roots, ...intermediates].some((own) => readCertificate(own).spki.equals(publicKey))) {
    throw invalidField('certPem', 'this is the key of a CA of the controller itself');
  }
  const other = await tx.selectFrom('cas').select('id').where('fingerprint', '=', fingerprint).executeTakeFirst();
  if (other) throw certificateUsed(` ${other.id}`);
  return { fingerprint, verificationToken: base62Id() };
}

function certificateUsed(id: string) {
  return invalidField('certPem', `certificate already used as CA${id}`);
}

/** As on the wire, a PATCH without a claim clears it, unlike all other fields. */
function isClaimCleared({ verb, body }: ProposedChange): boolean {
  return verb === 'patch' && (body.externalIdClaim === undefined || body.externalIdClaim === null);
}

function refusePrefixed(roles: readonly string[]): void {
  const prefixed = roles.find((role) => /^[#@]/.test(role));
  if (prefixed === undefined) return;
  throw invalidField('identityRoles', `role attributes may not be prefixed with ${prefixed[0]}`, prefixed);
}
