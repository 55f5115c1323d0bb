import type { Logger } from '../../core/log/log.ts';
import type { Measure } from '../../core/meter.ts';
import { unmeasured } from '../../core/meter.ts';
import type { SteadyClock } from '../../core/time/clock.ts';
import type { Resolve } from './checked-lookup.ts';
import { createCheckedLookup } from './checked-lookup.ts';
import { FetchFailed } from './fetch-failed.ts';
import type { FetchSettings } from './fetch-json.ts';
import { fetchJson, redactedUrl } from './fetch-json.ts';
import type { RequestParts } from './open-request.ts';

/** The keys of a signer. `has` tells whether a `kid` is one of them. */
export interface KeySet {
  has(kid: string): boolean;
}

/** Where the keys of a signer are. */
export interface JwksEndpoint {
  readonly signerId: string;
  readonly url: string;
}

export interface FoundKeys<Keys> {
  /** `null`: there are none that may be used. They need not have the `kid` that was asked for. */
  readonly keys: Keys | null;
  /** Why the last fetch failed, in words for the administrator. `null`: it did not fail. */
  readonly problem: string | null;
}

export interface JwksSourceOptions<Keys> {
  /** Reads the bytes of a JWKS; nothing in them is checked. When it throws, old keys stay. */
  readonly read: (document: Buffer) => Keys | Promise<Keys>;
  readonly settings: FetchSettings;
  /** In milliseconds; nobody can set it. */
  readonly clock: Pick<SteadyClock, 'now'>;
  readonly log?: Pick<Logger, 'warn' | 'info'>;
  /** Resolves host names. Default: as the system does. */
  readonly resolve?: Resolve;
  /** Measures the fetches. Default: they are not measured. */
  readonly measure?: Measure;
  /** More headers of each request, such as those of a trace. */
  readonly headers?: RequestParts['headers'];
}

interface Entry<Keys> {
  readonly url: string;
  readonly fetch: () => Promise<Buffer>;
  readonly stopped: AbortController;
  keys: Keys | null;
  /** When the keys arrived. */
  fetchedAt: number;
  /** When the last fetch ended. */
  triedAt: number;
  /** Milliseconds after `triedAt` in which there is no other fetch. */
  pause: number;
  problem: string | null;
  flight: Promise<void> | null;
}

const second = 1_000;
const minute = 60 * second;
/** After this, keys are fetched again before they are used. */
const maxAge = 10 * minute;
/** After this, keys that could not be fetched again are not used any more. */
const maxStaleAge = 60 * minute;
const leastPause = second;
const mostPause = 30 * second;
const maxEntries = 1_000;

/**
 * The keys of all signers that have a JWKS endpoint. Nothing is fetched before it is needed, and each signer has at most one
 * fetch at a time, so a slow provider delays no other signer.
 *
 * Keys are used for 10 minutes. When they cannot be fetched again, they stay in use for an hour after they arrived. An
 * unknown `kid` leads to a fetch, at most once a second. The pause doubles up to 30 s while fetches fail or do not find the
 * `kid`; nobody waits in a pause.
 */
export class JwksSource<Keys extends KeySet> {
  readonly #options: JwksSourceOptions<Keys>;
  /** The signer that was used last is the last one. */
  readonly #entries = new Map<string, Entry<Keys>>();

  constructor(options: JwksSourceOptions<Keys>) {
    this.#options = options;
  }

  /** Returns the keys of a signer, and fetches them first when that is due. `kid` is the key that is needed. Never throws. */
  async keys(endpoint: JwksEndpoint, kid: string): Promise<FoundKeys<Keys>> {
    const entry = this.#use(endpoint);
    const now = this.#options.clock.now();
    if (now - entry.fetchedAt >= maxStaleAge) entry.keys = null;
    const { keys } = entry;
    const isKnown = keys?.has(kid) ?? false;
    if (isKnown && now - entry.fetchedAt < maxAge) return foundIn(entry);
    if (now - entry.triedAt >= entry.pause) entry.flight ??= this.#fly(endpoint.signerId, entry);
    const isFailing = entry.problem !== null && now - entry.triedAt < minute;
    if (isKnown && isFailing) return foundIn(entry);
    await entry.flight;
    if (entry.keys !== keys && entry.keys?.has(kid)) entry.pause = leastPause;
    return foundIn(entry);
  }

  /** Drops the keys of all other signers and ends the fetches for them. Without ids: of all signers. */
  retain(signerIds: Iterable<string>): void {
    const retained = new Set(signerIds);
    for (const id of this.#entries.keys()) if (!retained.has(id)) this.#drop(id);
  }

  #use({ signerId, url }: JwksEndpoint): Entry<Keys> {
    const known = this.#entries.get(signerId);
    if (known?.url === url) {
      this.#entries.delete(signerId);
      this.#entries.set(signerId, known);
      return known;
    }
    this.#drop(signerId);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= maxEntries) this.#drop(oldest);
    const created = this.#createEntry(url);
    this.#entries.set(signerId, created);
    return created;
  }

  #createEntry(url: string): Entry<Keys> {
    const { settings, resolve, headers } = this.#options;
    const stopped = new AbortController();
    const lookup = createCheckedLookup(settings, resolve);
    return {
      url,
      fetch: () => fetchJson(url, { settings, lookup, signal: stopped.signal, headers }),
      stopped,
      keys: null,
      fetchedAt: -Infinity,
      triedAt: -Infinity,
      pause: 0,
      problem: null,
      flight: null,
    };
  }

  #drop(signerId: string): void {
    const entry = this.#entries.get(signerId);
    if (entry === undefined) return;
    this.#entries.delete(signerId);
    entry.keys = null;
    entry.problem = 'The signer was disabled or changed, or others were used instead.';
    entry.stopped.abort();
  }

  async #fly(signerId: string, entry: Entry<Keys>): Promise<void> {
    const { clock, log } = this.#options;
    const problemBefore = entry.problem;
    const result = await this.#load(entry);
    if (entry.stopped.signal.aborted) return;
    const now = clock.now();
    if ('keys' in result) Object.assign(entry, { keys: result.keys, fetchedAt: now, problem: null });
    else entry.problem = result.problem;
    const isSame = (entry.problem === null) === (problemBefore === null);
    entry.pause = isSame ? Math.min(Math.max(entry.pause * 2, leastPause), mostPause) : leastPause;
    entry.triedAt = now;
    entry.flight = null;
    if (entry.problem === problemBefore) return;
    if (entry.problem === null) log?.info({ signerId }, 'the keys of an external JWT signer are fetched again');
    else log?.warn({ signerId, problem: entry.problem }, 'the keys of an external JWT signer cannot be fetched');
  }

  async #load(entry: Entry<Keys>): Promise<{ keys: Keys } | { problem: string }> {
    try {
      const { read, measure = unmeasured } = this.#options;
      return { keys: await read(await measure(entry.fetch)) };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return {
        problem: error instanceof FetchFailed ? text : `${redactedUrl(entry.url)}: The keys cannot be read: ${text}`,
      };
    }
  }
}

function foundIn<Keys>({ keys, problem }: Entry<Keys>): FoundKeys<Keys> {
  return { keys, problem };
}
