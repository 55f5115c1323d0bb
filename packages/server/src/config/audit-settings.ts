import { hour, setting } from './setting.ts';
import { boolean, duration, integer } from './values.ts';

const day = 24 * hour;

/** The audit log. */
export const auditSettings = {
  /** Whether acts are written to the audit log. That controllers start and stop always is. */
  auditEnabled: setting({
    key: 'audit.enabled',
    env: 'EDGE_AUDIT_ENABLED',
    default: true,
    ...boolean,
    description:
      'Whether sign-ins, changes and other acts are written to the audit log. That controllers start and stop always is.',
  }),
  /** Milliseconds after which entries of the audit log are removed. */
  auditRetention: setting({
    key: 'audit.retention',
    env: 'EDGE_AUDIT_RETENTION',
    default: 400 * day,
    ...duration(day, 36_500 * day, '2160h'),
    description: 'Time after which entries of the audit log are removed.',
  }),
  /** MiB that the audit log takes in its database, about. When it has more, the oldest entries are removed. */
  auditMaxSize: setting({
    key: 'audit.maxSize',
    env: 'EDGE_AUDIT_MAX_SIZE',
    default: 10_240,
    ...integer(1, 16_777_216),
    description: 'MiB of the audit log. When it has more, the oldest entries are removed.',
  }),
};
