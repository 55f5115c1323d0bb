import { isDeepStrictEqual } from 'node:util';
import type { CachedByVersion } from '../../core/cache/cache-by-version.ts';
import { cacheByVersion } from '../../core/cache/cache-by-version.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';

const columns = [
  'id',
  'enabled',
  'authVersion',
  'issuer',
  'audience',
  'certPem',
  'fingerprint',
  'jwksEndpoint',
  'kid',
  'claimsProperty',
  'useExternalId',
  'externalAuthUrl',
  'clientId',
  'scopes',
  'targetToken',
  'requiredAcr',
  'requiredAmr',
  'maxAuthAgeMinutes',
  'sessionsEndAt',
  'enrollToCertEnabled',
  'enrollToTokenEnabled',
  'enrollAuthPolicyId',
  'enrollNameClaimsSelector',
  'enrollAttributeClaimsSelector',
] as const;

type Row = Pick<Tables['externalJwtSigners'], (typeof columns)[number]>;
type List = 'scopes' | 'requiredAcr' | 'requiredAmr';
type Flag = 'enabled' | 'useExternalId' | 'enrollToCertEnabled' | 'enrollToTokenEnabled';

/** An external JWT signer, enabled or not. Its members are the fields of the entity. */
export interface TrustedSigner extends Omit<Row, Flag | List | 'kid' | 'fingerprint'>, Record<Flag, boolean> {
  /** The header `kid` of JWTs that the key in `certPem` signs. `null`: there is no certificate. */
  readonly kid: string | null;
  readonly scopes: readonly string[] | null;
  readonly requiredAcr: readonly string[] | null;
  readonly requiredAmr: readonly string[] | null;
}

export interface SignersOfVersion {
  /** Grows with each read. A read may end after one that began later. */
  readonly order: number;
  readonly byId: ReadonlyMap<string, TrustedSigner>;
  readonly byIssuer: ReadonlyMap<string, TrustedSigner>;
}

/** Finds a signer, enabled or not. */
export type FindSigner = (signerId: string, version: string) => Promise<TrustedSigner | null>;

/** All signers. The object of a signer stays the same until the signer changes, so that its keys are read once. */
export type TrustedSigners = CachedByVersion<SignersOfVersion>;

export function createTrustedSigners({ db }: Pick<EntityStore, 'db'>): TrustedSigners {
  let reads = 0;
  return cacheByVersion<SignersOfVersion>({ order: 0, byId: new Map(), byIssuer: new Map() }, async (cached) => {
    reads += 1;
    const order = reads;
    const rows = await db.selectFrom('externalJwtSigners').select(columns).orderBy('id').execute();
    const signers = rows.map((row) => {
      const signer = signerOf(row);
      const before = cached().byId.get(row.id);
      return before && isDeepStrictEqual(before, signer) ? before : signer;
    });
    return {
      order,
      byId: new Map(signers.map((signer) => [signer.id, signer])),
      byIssuer: new Map(signers.map((signer) => [signer.issuer, signer])),
    };
  });
}

function signerOf({ kid, fingerprint, ...row }: Row): TrustedSigner {
  return {
    ...row,
    kid: row.certPem === null ? null : kid || fingerprint,
    scopes: listOf(row.scopes),
    requiredAcr: listOf(row.requiredAcr),
    requiredAmr: listOf(row.requiredAmr),
    enabled: row.enabled === 1,
    useExternalId: row.useExternalId === 1,
    enrollToCertEnabled: row.enrollToCertEnabled === 1,
    enrollToTokenEnabled: row.enrollToTokenEnabled === 1,
  };
}

function listOf(text: string | null): readonly string[] | null {
  return text === null ? null : JSON.parse(text);
}
