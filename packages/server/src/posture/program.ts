import type { ReportedProcess } from './posture-data.ts';

/** What a posture check wants of a program. */
interface WantedProgram {
  /** SHA-512 in lower-case hex: one of them must be right. Empty: any. */
  readonly hashes?: readonly string[] | null | undefined;
  /** In lower case: one of them must have signed the program. Empty: any. */
  readonly signers: readonly string[];
}

/** Whether a program runs, and is the wanted one. */
export function runs(reported: ReportedProcess | undefined, { hashes, signers }: WantedProgram): boolean {
  if (!reported?.isRunning) return false;
  const isWanted = !hashes || hashes.length === 0 || hashes.includes(reported.hash.toLowerCase());
  const own = reported.signerFingerprints.map((print) => print.toLowerCase());
  return isWanted && (signers.length === 0 || signers.some((signer) => own.includes(signer)));
}

/** A program in the failure of a posture check. */
export function shownProgram(reported: ReportedProcess | undefined) {
  const { path, isRunning = false, hash = '', signerFingerprints = [] } = reported ?? {};
  return { ...(path && { path }), isRunning, hash, signerFingerprints };
}
