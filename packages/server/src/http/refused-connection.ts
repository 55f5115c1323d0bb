import type { EventBus } from '../core/events/bus.ts';
import type { Logger } from '../core/log/log.ts';

/** Told of each connection that ends because of what its peer has sent, or has not sent in time. */
export type OnRefused = (error: NodeJS.ErrnoException, address: string) => void;

/** The peer has closed the connection. Whoever watches ports does so all the time. */
const gone = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** Records refused connections without their errors: an error has the refused bytes, which may contain a token. */
export function recordRefusedConnections(events: EventBus, log: Logger): OnRefused {
  return (error, ipAddress) => {
    const { code, message, name } = error;
    const reason = code ?? name;
    log.debug({ reason, detail: message, address: ipAddress }, 'connection refused');
    if (gone.has(reason)) return;
    const isHttp = reason.startsWith('HPE_') || reason.startsWith('ERR_HTTP_');
    events.emit('connection.refused', { protocol: isHttp ? 'http' : 'tls', reason, ipAddress });
  };
}
