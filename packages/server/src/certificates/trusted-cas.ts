import type { EntityStore, Tables } from '../stores/entity-store.ts';
import { inValues } from '../stores/sql/select-values.ts';

/** A third-party CA that is verified and enabled for a use. */
export type TrustedCa = Pick<Tables['cas'], 'id' | 'authVersion' | 'certPem' | 'externalIdClaim'>;

/** What a CA can be enabled for: its certificates sign in, or enroll by themselves. */
type Use = 'isAuthEnabled' | 'isAutoCaEnrollmentEnabled';

/** Holds in this process the CAs that are enabled for a use, until the version of the entities changes. */
export interface TrustedCas {
  /**
   * The CAs by their ids, at a version of the entities. The object of a CA stays the same until the CA changes, so that its
   * certificate is parsed once.
   */
  at(version: string): Promise<ReadonlyMap<string, TrustedCa>>;
  /** Reads the CAs again, although the version is still the same. */
  reload(): Promise<ReadonlyMap<string, TrustedCa>>;
  /** Reads one CA from SQL, whatever is held. `null`: it is not trusted. */
  find(id: string): Promise<Pick<TrustedCa, 'authVersion'> | null>;
}

export function createTrustedCas({ db, sql }: Pick<EntityStore, 'db' | 'sql'>, use: Use): TrustedCas {
  let version: string | null = null;
  let held: ReadonlyMap<string, TrustedCa> = new Map();
  let loading: Promise<ReadonlyMap<string, TrustedCa>> | null = null;

  const trusted = () => db.selectFrom('cas').where('isVerified', '=', 1).where(use, '=', 1);

  const read = async (): Promise<ReadonlyMap<string, TrustedCa>> => {
    const rows = await trusted().select(['id', 'authVersion', 'externalIdClaim']).orderBy('id').execute();
    // A certificate is long, and that of a CA never changes.
    const unread = rows.filter(({ id }) => !held.has(id)).map(({ id }) => id);
    const certificates = db.selectFrom('cas').select(['id', 'certPem']);
    const added = unread.length === 0 ? [] : await certificates.where('id', 'in', inValues(sql, unread)).execute();
    const pems = new Map(added.map(({ id, certPem }) => [id, certPem]));
    return new Map(
      rows.flatMap((row) => {
        const before = held.get(row.id);
        const isSame = before?.authVersion === row.authVersion && before.externalIdClaim === row.externalIdClaim;
        const certPem = before?.certPem ?? pems.get(row.id);
        // Deleted meanwhile.
        if (certPem === undefined) return [];
        return [[row.id, before && isSame ? before : { ...row, certPem }]];
      }),
    );
  };

  const load = () => {
    const started = read();
    loading = started;
    const forget = () => {
      if (loading === started) loading = null;
    };
    started.then((cas) => {
      held = cas;
    }, forget);
    return started;
  };

  return {
    at(current) {
      if (current !== version) loading = null;
      version = current;
      return loading ?? load();
    },
    reload: load,
    find: async (id) => (await trusted().select('authVersion').where('id', '=', id).executeTakeFirst()) ?? null,
  };
}
