import type { ReportedProcess } from './posture-data.ts';

/** What a posture check wants of a program. */
interface WantedProgram {
  /** SHA-512 in hex, in any case: one of them must be right. Empty: any. */
  readonly hashes?: readonly string[] | null | undefined;
  /** In any case: one of them must have signed the program. Empty: any. */
  readonly signers: readonly string[];
}

/** Whether a program runs, and is the wanted one. */
export function runs(reported: ReportedProcess | undefined, { hashes, signers }: WantedProgram): boolean {
  if (!reported?.isRunning) return false;
  const isOneOf = (wanted: readonly string[], own: readonly string[]) =>
    wanted.length === 0 || lowerCase(wanted).some((one) => lowerCase(own).includes(one));
  return isOneOf(hashes ?? [], [reported.hash]) && isOneOf(signers, reported.signerFingerprints);
}

function lowerCase(texts: readonly string[]): string[] {
  return texts.map((text) => text.toLowerCase());
}

/** A program in the failure of a posture check. */
export function shownProgram(reported: ReportedProcess | undefined) {
  const { path, isRunning = false, hash = '', signerFingerprints = [] } = reported ?? {};
  return { ...(path && { path }), isRunning, hash, signerFingerprints };
}
