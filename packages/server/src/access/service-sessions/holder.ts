import type { AuthQuery } from '../../sessions/auth-state.ts';
import type { Principal } from '../../sessions/load-principals.ts';
import { evaluate } from '../../sessions/sessions.ts';
import type { ApiSessionRecord } from '../../storage/session-store/session-store.ts';
import type { PostureData } from '../posture/posture-data.ts';
import type { LivePosture } from '../service-access/live-posture.ts';

/** An API session that may have sessions of services. */
export interface SessionHolder {
  readonly record: ApiSessionRecord;
  readonly principal: Principal;
  /** Reads its posture data, once. */
  readonly posture: () => Promise<PostureData>;
  /** What was read. `null`: nobody has asked for it. */
  readonly seenPosture: () => Promise<PostureData | null>;
}

export function holderOf(
  { posture }: { readonly posture: LivePosture },
  { record, principal }: Pick<SessionHolder, 'record' | 'principal'>,
): SessionHolder {
  let read: Promise<PostureData> | null = null;
  return {
    record,
    principal,
    posture() {
      read ??= posture.read(record.tokenHash).then(({ data }) => data);
      return read;
    },
    seenPosture: async () => read,
  };
}

/**
 * Whether an API session may have sessions: its policy allows it, its TOTP is proven, and its password is its own. A JWT that must be in every request
 * does not count here, because nobody makes a request.
 */
export function mayHold(
  services: { readonly authQueries: readonly AuthQuery[] },
  stored: Parameters<typeof evaluate>[1],
  principal: Parameters<typeof evaluate>[2],
): boolean {
  const { isAllowed, authQueries } = evaluate(services, stored, principal);
  return isAllowed && authQueries.every(({ typeId }) => typeId === 'EXT-JWT');
}
