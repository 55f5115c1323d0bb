import type { CallOptions } from '../api/call-options.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import type { PostureQuery, PostureResponseCreate, ServiceDetail } from '../api/generated/entities.ts';
import type { PostureProvider } from '../api/posture-provider.ts';
import { withDeadline } from '../errors/deadline.ts';
import { checkNames } from '../lib/check-names.ts';
import { createQueue } from '../lib/queue.ts';
import { askProvider } from './ask-provider.ts';

/** Answers in one request. A controller limits their number, and the members of a body. */
const maxAnswers = 100;

/** What the answers need of a client. */
export interface PostureParts {
  readonly options: { readonly posture?: PostureProvider | undefined };
  readonly client: Pick<ClientCalls, 'postureResponses'>;
  readonly manager: { token(): string | null };
  /** Reports what a function of the application has thrown. */
  readonly report: (what: string, error: unknown) => void;
}

/** Answers posture queries with the option `posture`, and remembers what the current session has sent. */
export class PostureAnswers {
  readonly #parts: PostureParts;
  readonly #queue = createQueue();
  /** What was sent, with the token of its session. */
  #sent = { token: null as string | null, texts: new Map<string, string>() };

  constructor(parts: PostureParts) {
    checkNames(parts.options.posture ?? {}, ['os', 'domain', 'mac', 'process'], 'function of a posture provider');
    this.#parts = parts;
  }

  /**
   * Answers the queries of services, as far as the answers differ from those that were sent. True when some were sent. One runs after
   * the other, so that none sends what another one is about to send.
   */
  async answer(services: readonly ServiceDetail[], options: CallOptions = {}): Promise<boolean> {
    const { posture } = this.#parts.options;
    const queries = posture ? queriesOf(services) : [];
    if (!posture || queries.length === 0) return false;
    const limits = { signal: options.signal, timeout: Number.POSITIVE_INFINITY, target: 'posture' };
    return withDeadline(limits, (signal) =>
      this.#queue('', () => this.#answer(posture, queries, { ...options, signal })),
    );
  }

  /** The controller does not count what was sent: everything must be sent again. */
  forget(): void {
    this.#sent.texts.clear();
  }

  async #answer(posture: PostureProvider, queries: readonly PostureQuery[], options: CallOptions): Promise<boolean> {
    const { client, manager, report } = this.#parts;
    const answers = await askProvider(posture, queries, { signal: options.signal, report });
    for (let hasSent = false; ; hasSent = true) {
      const token = manager.token();
      if (this.#sent.token !== token) this.#sent = { token, texts: new Map() };
      const { texts } = this.#sent;
      const changed = answers.filter((one) => texts.get(keyOf(one)) !== textOf(one));
      if (changed.length === 0) return hasSent;
      for (let at = 0; at < changed.length; at += maxAnswers) {
        const part = changed.slice(at, at + maxAnswers);
        await client.postureResponses.createBulk(part, options);
        for (const one of part) texts.set(keyOf(one), textOf(one));
      }
      // A session that was replaced meanwhile has sent nothing yet, or only a part.
    }
  }
}

function queriesOf(services: readonly ServiceDetail[]): PostureQuery[] {
  // Other controllers of the same wire API may send `null` for an empty list.
  return services.flatMap(({ postureQueries }) =>
    (postureQueries ?? []).flatMap((policy) => policy.postureQueries ?? []),
  );
}

/** A controller keeps one answer of each kind, and one for each posture check and path. */
function keyOf(answer: PostureResponseCreate): string {
  return answer.typeId === 'PROCESS' ? `${answer.id} ${answer.path}` : answer.typeId;
}

function textOf(answer: PostureResponseCreate): string {
  return JSON.stringify({ ...answer, id: '' });
}
