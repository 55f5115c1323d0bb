import type { Settings } from '../../core/config/schema.ts';
import { StartError } from '../../core/start/start-error.ts';
import type { Clock } from '../../core/time/clock.ts';

/** What a check has found. */
export interface DoctorFinding {
  /** `error`: the controller does not start, or some clients cannot use it. `warning`: it works, and something should change. */
  readonly severity: 'error' | 'warning';
  /** What is wrong, without secrets. */
  readonly message: string;
  /** The setting that leads to it. `null`: no single one. */
  readonly setting: keyof Settings | null;
  readonly fix: string;
  /** Of an error. `wrong`: something that is there is not right. `unusable`: it cannot be used or reached now. */
  readonly kind: 'wrong' | 'unusable';
}

/** What the checks read. They change nothing. */
export interface Installation {
  readonly settings: Settings;
  /** The absolute path. */
  readonly dataDir: string;
  readonly clock: Clock;
}

/** One kind of thing that can be wrong. It returns nothing when all is well. */
export type DoctorCheck = (installation: Installation) => Promise<readonly DoctorFinding[]>;

export function warning(message: string, setting: DoctorFinding['setting'], fix: string): DoctorFinding {
  return { severity: 'warning', message, setting, fix, kind: 'wrong' };
}

/** Something that is there and not right. */
export function wrong(message: string, setting: DoctorFinding['setting'], fix: string): DoctorFinding {
  return { severity: 'error', message, setting, fix, kind: 'wrong' };
}

/** Something that cannot be used or reached now. */
export function unusable(message: string, setting: DoctorFinding['setting'], fix: string): DoctorFinding {
  return { severity: 'error', message, setting, fix, kind: 'unusable' };
}

/** The problems that would keep the controller from starting. Other errors are thrown. */
export function problemsOf(error: unknown, setting: DoctorFinding['setting'] = null): readonly DoctorFinding[] {
  if (!(error instanceof StartError)) throw error;
  return error.problems.map((problem) => ({
    severity: 'error',
    ...problem,
    setting: problem.setting ?? setting,
  }));
}
