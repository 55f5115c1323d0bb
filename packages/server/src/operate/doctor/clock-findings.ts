import type { DoctorFinding } from './finding.ts';
import { warning, wrong } from './finding.ts';

/** Milliseconds. A TOTP code is valid for 30 seconds. */
const tolerance = { warning: 2_000, error: 15_000 };

/** @param difference milliseconds that the clock of the store is ahead. `null`: unknown */
export function clockFindings(
  store: string,
  difference: number | null,
  setting: DoctorFinding['setting'],
): readonly DoctorFinding[] {
  if (difference === null || Math.abs(difference) < tolerance.warning) return [];
  const seconds = (Math.abs(difference) / 1_000).toFixed(1);
  const message = `The clock of ${store} is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
  const fix = 'set the clocks of both machines with NTP (chrony, systemd-timesyncd)';
  return [Math.abs(difference) < tolerance.error ? warning(message, setting, fix) : wrong(message, setting, fix)];
}
