import { KeyedCache } from '../../core/cache/keyed-cache.ts';
import type { Clock } from '../../core/time/clock.ts';
import { loadPerTurn } from '../../core/turns/load-per-turn.ts';
import type { PostureLosses } from '../../storage/revocation/posture-losses.ts';
import type { ReplacedData } from '../../storage/session-store/session-data.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';
import type { PostureData } from '../posture/posture-data.ts';
import { afterLoss, readPostureData } from '../posture/posture-data.ts';
import type { ServiceAccess } from './service-access.ts';

const maxKnown = 100_000;
const maxTries = 20;

interface LivePostureOptions {
  readonly sessions: Pick<SessionStore, 'data'>;
  readonly losses: PostureLosses;
  readonly access: Pick<ServiceAccess, 'knownVersion'>;
  readonly clock: Clock;
}

/** Posture data with its text in the session store. `null`: there is none. */
export interface StoredPosture {
  readonly json: string | null;
  readonly data: PostureData;
}

/**
 * The posture data of API sessions. Data that a client has taken back does not count, also if the session store has lost what the
 * client said later. Refresh the version of the rights first: then a loss of data is noticed.
 */
export class LivePosture {
  readonly #parts: LivePostureOptions;
  /** The last generation that does not count. `null`: each counts. */
  readonly #losses: KeyedCache<number | null>;
  #version: string | null = null;

  constructor(parts: LivePostureOptions) {
    this.#parts = parts;
    const load = loadPerTurn((losses: PostureLosses, hashes) => losses.find(hashes));
    this.#losses = new KeyedCache(maxKnown, async (hash) => (await load(parts.losses, hash)) ?? null);
  }

  async read(tokenHash: string): Promise<StoredPosture> {
    const { data: store } = this.#parts.sessions;
    this.#moveTo(this.#parts.access.knownVersion);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const [[json = null], lost] = await Promise.all([
        store.read([tokenHash], 'posture'),
        this.#losses.get(tokenHash),
      ]);
      const data = readPostureData(json);
      if (lost === null || data.generation > lost) return { json, data };
      const after = afterLoss(data, { generation: lost + 1, now: this.#parts.clock() });
      if ((await this.replace(tokenHash, { json, data }, after)) === 'no session') break;
    }
    return { json: null, data: readPostureData(null) };
  }

  replace(tokenHash: string, { json: before }: StoredPosture, after: PostureData): Promise<ReplacedData> {
    return this.#parts.sessions.data.replace(tokenHash, 'posture', { before, after: JSON.stringify(after) });
  }

  /** Records that data does not count any more, because the client has said something else. */
  async takeBack(tokenHash: string, { generation }: PostureData): Promise<void> {
    await this.#parts.losses.add(tokenHash, generation);
    this.#losses.set(tokenHash, generation);
  }

  /** Forgets what was taken back long ago. Replaces it first where the session store has it again. */
  async sweep(now: number): Promise<void> {
    const { losses } = this.#parts;
    for (const tokenHash of await losses.expired(now)) await this.read(tokenHash);
    await losses.sweep(now);
  }

  #moveTo(version: string | null): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#losses.clear();
  }
}
