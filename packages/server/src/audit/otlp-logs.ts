import type { StoredEntry } from './entry.ts';

type Value = { readonly stringValue: string } | { readonly intValue: string };
interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** `INFO` and `WARN` of OpenTelemetry. */
const severities = { success: [9, 'INFO'], failure: [13, 'WARN'] } as const;

/** Entries of the audit log as a request of OTLP over HTTP, in JSON: one log record for each. */
export function otlpLogs(entries: readonly StoredEntry[], version: string): string {
  const service = [text('service.name', 'edge-controller'), text('service.version', version)];
  const scopeLogs = [{ scope: { name: 'edge-controller.audit' }, logRecords: entries.map(recordOf) }];
  return JSON.stringify({ resourceLogs: [{ resource: { attributes: service }, scopeLogs }] });
}

/** The body is the whole entry as `audit export` prints it, so that a receiver can verify the chain. */
function recordOf(entry: StoredEntry) {
  const { sequence, createdAt, event, outcome, identityId, entityType, entityId, ipAddress, requestId } = entry;
  const [severityNumber, severityText] = severities[outcome === 'failure' ? 'failure' : 'success'];
  const known = { identityId, entityType, entityId, ipAddress, requestId };
  const named = Object.entries(known).flatMap(([name, value]) =>
    value === null ? [] : [text(`audit.${name}`, value)],
  );
  return {
    timeUnixNano: `${Date.parse(createdAt)}000000`,
    ...{ severityNumber, severityText, eventName: event },
    body: { stringValue: JSON.stringify({ ...entry, details: JSON.parse(entry.details) }) },
    attributes: [
      { key: 'audit.sequence', value: { intValue: String(sequence) } },
      ...[text('audit.event', event), text('audit.outcome', outcome), text('audit.hash', entry.hash), ...named],
    ],
  };
}

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } });
