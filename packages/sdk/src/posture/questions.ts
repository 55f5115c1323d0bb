import type { PostureQuery, PostureQueryProcess, PostureResponseCreate } from '../api/generated/entities.ts';
import type { PostureProvider, PostureRequest } from '../api/posture-provider.ts';

/** One call of a function of a provider. It resolves to the answers: none when the device does not know it. */
export interface Question {
  readonly name: keyof PostureProvider;
  readonly ask: (request: PostureRequest) => Promise<PostureResponseCreate[]>;
}

/**
 * What queries ask a provider. A controller keeps one answer of each kind, whichever posture check has asked, and one for each posture
 * check and path of a process.
 */
export function questionsOf(provider: PostureProvider, queries: readonly PostureQuery[]): Question[] {
  const idOf = (kind: PostureQuery['queryType']) => queries.find(({ queryType }) => queryType === kind)?.id;
  const questions: (Question | undefined)[] = [
    question('os', idOf('OS'), async (id, request) => {
      const answer = await provider.os?.(request);
      return answer && { id, typeId: 'OS', type: answer.type, version: answer.version, build: answer.build };
    }),
    question('domain', idOf('DOMAIN'), async (id, request) => {
      const domain = (await provider.domain?.(request)) ?? undefined;
      return domain === undefined ? undefined : { id, typeId: 'DOMAIN', domain };
    }),
    question('mac', idOf('MAC'), async (id, request) => {
      const answer = await provider.mac?.(request);
      return answer && { id, typeId: 'MAC', macAddresses: [...answer] };
    }),
    ...processesOf(queries).map((asked) => processQuestion(provider, asked)),
  ];
  return questions.filter((one) => one !== undefined);
}

function question(
  name: keyof PostureProvider,
  id: string | undefined,
  answer: (id: string, request: PostureRequest) => Promise<PostureResponseCreate | null | undefined>,
): Question | undefined {
  if (id === undefined) return undefined;
  return {
    name,
    ask: async (request) => {
      const given = await answer(id, request);
      return given ? [given] : [];
    },
  };
}

/** A process, and the posture checks that ask for it. */
interface AskedProcess extends PostureQueryProcess {
  readonly ids: Set<string>;
}

function processesOf(queries: readonly PostureQuery[]): AskedProcess[] {
  const byPath = new Map<string, AskedProcess>();
  for (const { id, process, processes } of queries) {
    for (const { path, osType } of [process ?? [], processes ?? []].flat()) {
      const asked = byPath.get(path) ?? { path, osType, ids: new Set() };
      byPath.set(path, asked);
      // Several services, or policies of one, may have the same check.
      asked.ids.add(id);
    }
  }
  return [...byPath.values()];
}

function processQuestion(provider: PostureProvider, { path, osType, ids }: AskedProcess): Question {
  return {
    name: 'process',
    async ask(request) {
      const answer = await provider.process?.({ ...request, path, osType });
      if (!answer) return [];
      const { isRunning, hash, signerFingerprints } = answer;
      const prints = signerFingerprints && { signerFingerprints: [...signerFingerprints] };
      return [...ids].map((id) => ({ id, typeId: 'PROCESS', path, isRunning, hash, ...prints }));
    },
  };
}
