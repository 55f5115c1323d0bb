import type { CallOptions } from '../api/call-options.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import type { ServiceDetail } from '../api/generated/entities.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import type { PostureAnswers } from '../posture/posture-answers.ts';
import type { TokenHolder } from '../requests/current-token.ts';
import { currentToken } from '../requests/current-token.ts';
import { allRows } from '../requests/iterate-pages.ts';

/** What the list needs of a client. */
export interface ListParts {
  readonly options: Pick<EdgeClientOptions, 'keepAlive'>;
  readonly client: Pick<ClientCalls, 'currentApiSession' | 'services'>;
  readonly manager: { token(): string | null };
  readonly stored: TokenHolder;
  readonly posture: Pick<PostureAnswers, 'answer'>;
}

/** The list as it was read. */
export interface KnownServices {
  /** Counts the lists that a client has read. */
  readonly version: number;
  readonly services: readonly ServiceDetail[];
  /** Of the session that has read it. */
  readonly token: string | null;
  /** What the controller has told before it was read. */
  readonly lastChangeAt: string;
}

/** The services of the identity, which are read again when they have changed. */
export class ServiceList {
  readonly #parts: ListParts;
  #known: KnownServices | null = null;

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  known(): KnownServices | null {
    return this.#known;
  }

  /**
   * Asks whether the list has changed, reads it then, and answers its posture queries. Throws `EdgeAuthQueryError` `NO_SESSION` and the
   * errors of the calls.
   */
  async refresh(options: CallOptions): Promise<void> {
    const { stored, posture } = this.#parts;
    await currentToken(stored, options);
    const services = await this.#readChanged(options);
    // What the answers change has another time, too.
    if (await posture.answer(services, options)) await this.#readChanged(options);
  }

  async #readChanged(callOptions: CallOptions): Promise<readonly ServiceDetail[]> {
    const { client, manager, options } = this.#parts;
    const query = options.keepAlive ? {} : ({ touch: 'false' } as const);
    // First the time, then the list: a change in between is seen the next time.
    const { lastChangeAt } = await client.currentApiSession.serviceUpdates(query, callOptions);
    const token = manager.token();
    const before = this.#known;
    if (before?.token === token && before.lastChangeAt === lastChangeAt) return before.services;
    const services = await allRows(client.services.list, callOptions);
    this.#known = { version: (before?.version ?? 0) + 1, services, token, lastChangeAt };
    return services;
  }
}
