import type { Settings } from '../config/schema.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/sealer.ts';

/** What the TOTPs of identities need. */
export interface Services {
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'totpAttempts' | 'totpAttemptWindow'>;
  readonly entities: EntityStore;
  readonly sealer: Sealer;
}
