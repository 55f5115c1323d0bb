import type { AuditEntryDetail } from '@edge-controller/shared-types';
import type { Verification } from '../../src/audit/verify-log.ts';
import { defaultSettings } from '../../src/core/config/load.ts';
import type { ControllerOptions } from '../../src/index.ts';
import { verifyAuditLog } from '../../src/operate/maintenance/audit-commands.ts';
import type { TestController } from './controller.ts';

export const auditPath = '/edge/management/v1/audit-log';

/** The entries that match a filter, the oldest first. */
export async function entriesOf(
  { wire }: TestController,
  token: string,
  filter = 'true',
): Promise<readonly AuditEntryDetail[]> {
  const path = `${auditPath}?limit=500&sort=sequence&filter=${encodeURIComponent(filter)}`;
  const { status, body, text } = await wire('GET', path, { token });
  if (status !== 200) throw new Error(`the audit log answered ${status}: ${text}`);
  return body.data;
}

/** What `audit verify` finds in the log of these options. */
export const verified = (options: ControllerOptions): Promise<Verification> =>
  verifyAuditLog({ ...defaultSettings(), ...options });
