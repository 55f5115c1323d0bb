import type { CheckKind, PostureFacts } from '../posture-check.ts';
import { constantly } from '../posture-check.ts';
import { runs, shownProgram } from '../program.ts';

/** All of several programs must run, or one of them. What the client has said about a path counts, whichever check asked. */
export const processMulti: CheckKind = {
  evaluate({ semantic, processes }, facts) {
    const wanted = processes ?? [];
    const isRunning = ({ path, hashes, signerFingerprints }: (typeof wanted)[number]) =>
      runs(reportedAt(path, facts), { hashes, signers: signerFingerprints ?? [] });
    return constantly(semantic === 'AnyOf' ? wanted.some(isRunning) : wanted.every(isRunning));
  },

  failure: ({ semantic, processes }, facts) => ({
    actualValue: (processes ?? []).flatMap(({ path }) => {
      const reported = reportedAt(path, facts);
      return reported ? [shownProgram(reported)] : [];
    }),
    expectedValue: processes ?? [],
    ...(semantic && { semantic }),
  }),
};

function reportedAt(path: string, { data }: PostureFacts) {
  return data.processes.findLast((each) => each.path === path);
}
