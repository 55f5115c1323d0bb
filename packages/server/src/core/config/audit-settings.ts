import { hour, setting } from './setting.ts';
import { boolean, duration, integer, text, url } from './values.ts';

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
  /** Where the entries are sent to, with OTLP over HTTP. `null`: nowhere. */
  auditPushUrl: setting({
    key: 'audit.push.url',
    env: 'EDGE_AUDIT_PUSH_URL',
    default: null,
    ...url(/^https?$/, 'a URL that begins with http:// or https://'),
    description:
      'Where the entries of the audit log are sent to, as logs of OpenTelemetry with OTLP over HTTP in JSON, such as `http://localhost:4318/v1/logs`. Default: nowhere.',
  }),
  /** Headers for it, such as `authorization=Bearer abc`. */
  auditPushHeaders: setting({
    key: 'audit.push.headers',
    env: 'EDGE_AUDIT_PUSH_HEADERS',
    secret: true,
    default: null,
    ...text(
      /^[A-Za-z0-9-]{1,100}=[\x20-\x2b\x2d-\x7e]+(,[A-Za-z0-9-]{1,100}=[\x20-\x2b\x2d-\x7e]+)*$/,
      'name=value, separated by commas',
    ),
    description: 'Headers for `audit.push.url`, such as `authorization=Bearer abc`.',
  }),
};
