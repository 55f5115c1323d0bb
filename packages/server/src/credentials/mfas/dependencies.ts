import type { Settings } from '../../core/config/schema.ts';
import type { Sealer } from '../../core/secrets/sealer.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';

/** What the TOTPs of identities need. */
export interface Dependencies {
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'totpAttempts' | 'totpAttemptWindow'>;
  readonly database: EntityStore;
  readonly sealer: Sealer;
}
