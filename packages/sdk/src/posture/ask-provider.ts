import type { PostureQuery, PostureResponseCreate } from '../api/generated/entities.ts';
import type { PostureProvider } from '../api/posture-provider.ts';
import { withDeadline } from '../errors/deadline.ts';
import { questionsOf } from './questions.ts';

/** Milliseconds that a function of a provider may take. */
const timeout = 10_000;

interface Asking {
  readonly signal: AbortSignal | undefined;
  /** Gets what a function of the provider throws. */
  readonly report: (what: string, error: unknown) => void;
}

/** Asks a provider what the queries want to know, all at the same time. Throws the reason of the signal only. */
export async function askProvider(
  provider: PostureProvider,
  queries: readonly PostureQuery[],
  { signal, report }: Asking,
): Promise<PostureResponseCreate[]> {
  const answers = questionsOf(provider, queries).map(async ({ name, ask }) => {
    const limits = { signal, timeout, target: `posture.${name}` };
    return withDeadline(limits, async (inTime) => ask({ signal: inTime })).catch((error: unknown) => {
      signal?.throwIfAborted();
      report(`"${name}" of the posture provider`, error);
      return [];
    });
  });
  return (await Promise.all(answers)).flat();
}
