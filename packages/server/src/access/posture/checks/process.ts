import type { CheckKind, PostureCheck, PostureFacts } from '../posture-check.ts';
import { constantly } from '../posture-check.ts';
import { runs, shownProgram } from '../program.ts';

/** A program must run. What the client has said counts when it names this check: its path is the one of the check. */
export const process: CheckKind = {
  evaluate(check, facts) {
    const signer = check.process?.signerFingerprint;
    const wanted = { hashes: check.process?.hashes, signers: signer ? [signer] : [] };
    return constantly(runs(reportedFor(check, facts), wanted));
  },

  failure: (check, facts) => ({
    actualValue: shownProgram(reportedFor(check, facts)),
    expectedValue: check.process,
  }),
};

function reportedFor({ id }: PostureCheck, { data }: PostureFacts) {
  return data.processes.findLast(({ postureCheckId }) => postureCheckId === id);
}
