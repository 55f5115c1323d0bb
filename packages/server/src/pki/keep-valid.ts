import type { Logger } from '../core/log/log.ts';
import type { Clock } from '../core/time/clock.ts';
import type { LivePki } from './pki.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** Milliseconds before its end when a certificate is named in the log. */
const warningWindow = 90 * day;

/**
 * Refreshes a PKI every hour, and logs once a day what expires soon and nobody renews. What fails is logged and tried again;
 * `onServerChange` is called when the server certificate, its key or its issuers have changed. `refresh` does it now, `stop` ends it.
 */
export function keepPkiValid(options: { pki: LivePki; clock: Clock; log: Logger; onServerChange: () => void }): {
  refresh(): Promise<void>;
  stop(): void;
} {
  const { pki, clock, log, onServerChange } = options;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = () => {
    if (clock() - warnedAt < day) return;
    const expiring = pki.current.ends.filter(({ at }) => at - clock() < warningWindow);
    for (const { file, subject, at } of expiring) {
      const expiresAt = new Date(at).toISOString();
      log.warn({ file, subject, expiresAt }, 'a certificate expires soon and must be replaced');
      warnedAt = clock();
    }
  };
  const refresh = async () => {
    try {
      const before = pki.current;
      await pki.refresh();
      const { serverCertChainPem, serverKeyPem } = pki.current;
      if (serverCertChainPem !== before.serverCertChainPem || serverKeyPem !== before.serverKeyPem) onServerChange();
    } catch (error) {
      log.error({ err: error }, 'the files of the PKI cannot be used: the controller keeps what it has read before');
    }
    warn();
  };
  warn();
  const timer = setInterval(() => void refresh(), hour).unref();
  return { refresh, stop: () => clearInterval(timer) };
}
