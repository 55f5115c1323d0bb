import type { CachedByVersion } from '../../core/cache/cache-by-version.ts';
import { cacheByVersion } from '../../core/cache/cache-by-version.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';

/** A third-party CA that is verified and enabled for a use. */
export type TrustedCa = Pick<Tables['cas'], 'id' | 'authVersion' | 'certPem' | 'externalIdClaim'>;

/** What a CA can be enabled for: its certificates sign in, or enroll by themselves. */
type Use = 'isAuthEnabled' | 'isAutoCaEnrollmentEnabled';

/**
 * The CAs that are enabled for a use, by their ids. The object of a CA stays the same until the CA changes, so that its
 * certificate is parsed once.
 */
export interface TrustedCas extends CachedByVersion<ReadonlyMap<string, TrustedCa>> {
  /** Reads one CA from SQL, whatever is cached. `null`: it is not trusted. */
  find(id: string): Promise<Pick<TrustedCa, 'authVersion'> | null>;
}

export function createTrustedCas({ db, sql }: Pick<EntityStore, 'db' | 'sql'>, use: Use): TrustedCas {
  const trusted = () => db.selectFrom('cas').where('isVerified', '=', 1).where(use, '=', 1);

  const read = async (cached: () => ReadonlyMap<string, TrustedCa>): Promise<ReadonlyMap<string, TrustedCa>> => {
    const rows = await trusted().select(['id', 'authVersion', 'externalIdClaim']).orderBy('id').execute();
    // A certificate is long, and that of a CA never changes.
    const unread = rows.filter(({ id }) => !cached().has(id)).map(({ id }) => id);
    const certificates = db.selectFrom('cas').select(['id', 'certPem']);
    const added = unread.length === 0 ? [] : await certificates.where('id', 'in', inValues(sql, unread)).execute();
    const pems = new Map(added.map(({ id, certPem }) => [id, certPem]));
    return new Map(
      rows.flatMap((row) => {
        const before = cached().get(row.id);
        const isSame = before?.authVersion === row.authVersion && before.externalIdClaim === row.externalIdClaim;
        const certPem = before?.certPem ?? pems.get(row.id);
        // Deleted meanwhile.
        if (certPem === undefined) return [];
        return [[row.id, before && isSame ? before : { ...row, certPem }]];
      }),
    );
  };

  return {
    ...cacheByVersion(new Map<string, TrustedCa>(), read),
    find: async (id) => (await trusted().select('authVersion').where('id', '=', id).executeTakeFirst()) ?? null,
  };
}
