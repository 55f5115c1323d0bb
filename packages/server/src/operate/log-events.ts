import type { EventBus } from '../core/events/bus.ts';
import { createEventBus } from '../core/events/bus.ts';
import { GroupedLines } from '../core/log/grouped-lines.ts';
import type { Logger } from '../core/log/log.ts';

/** Creates the events of a controller, and writes those to the log that an operator looks for. */
export function createLoggedEvents(log: Logger): EventBus {
  const events = createEventBus((name, error) => log.error({ event: name, err: error }, 'an event listener failed'));
  events.on('externalJwt.refused', (refusal) => log.warn(refusal, 'external JWT refused'));
  events.on('auditLog.shortened', ({ through, by }) => {
    if (by === 'size') log.warn({ through }, 'the audit log has reached its size: its oldest entries were removed');
  });
  events.on('authentication.failed', (failure) => log.warn(failure, 'authentication failed'));
  warnOfRefusals(events, log);
  return events;
}

/** Unauthenticated clients cause these at any rate. */
function warnOfRefusals(events: EventBus, log: Logger): void {
  const lines = new GroupedLines(log);
  // Under `code` the logger expects a secret.
  events.on('request.limited', ({ code: error, ...limited }) =>
    lines.warn(`429 ${error}`, { error, ...limited }, 'too many requests'),
  );
  events.on('connection.refused', (refused) =>
    lines.warn(`connection ${refused.reason}`, refused, 'connection refused'),
  );
  events.on('controller.stopped', () => lines.close());
}
