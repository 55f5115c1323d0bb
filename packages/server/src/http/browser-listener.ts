import type { Settings } from '../core/config/schema.ts';
import type { Logger } from '../core/log/log.ts';
import { StartError } from '../core/start/start-error.ts';
import type { Clock } from '../core/time/clock.ts';
import type { BrowserKeys } from '../pki/browser-keys.ts';
import { readBrowserKeys, renewalWindow } from '../pki/browser-keys.ts';
import { handleBrowsers } from './browser-requests.ts';
import type { Listener, ListenOptions } from './listen.ts';
import { listen } from './listen.ts';
import type { ServerKeys } from './tls-options.ts';
import { browserTlsOptions } from './tls-options.ts';

interface BrowserListenerOptions {
  readonly settings: Settings;
  readonly bind: string;
  /** `null`: it has the server certificate of the controller. */
  readonly keys: BrowserKeys | null;
  readonly clock: Clock;
  readonly log: Logger;
}

const hour = 3_600_000;
const day = 24 * hour;

/** A listener beside that of the clients. It asks browsers for no certificate, and may have one that they know. */
export class BrowserListener {
  readonly #parts: BrowserListenerOptions;
  #keys: BrowserKeys | null;
  #listener: Listener | null = null;
  #timer: NodeJS.Timeout | null = null;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: BrowserListenerOptions) {
    this.#parts = parts;
    this.#keys = parts.keys;
  }

  /** The port that is bound, or will be. */
  get port(): number {
    return this.#listener?.port ?? splitBind(this.#parts.bind).port;
  }

  get connections(): number {
    return this.#listener?.connections ?? 0;
  }

  /** When the certificate ends, if it is not that of the controller. */
  get ends(): readonly { readonly file: string; readonly at: number }[] {
    const { browserCertificate: file } = this.#parts.settings;
    return this.#keys && file !== null ? [{ file, at: this.#keys.certificate.validToDate.getTime() }] : [];
  }

  /**
   * Serves what the other listener serves.
   *
   * @throws StartError when the address cannot be bound
   */
  async open({ tls, handle, ...options }: ListenOptions): Promise<number> {
    const { bind } = this.#parts;
    const own = { ...splitBind(bind), tls: this.#keys ?? tls, tlsOptions: browserTlsOptions };
    try {
      this.#listener = await listen({ ...options, ...own, handle: handleBrowsers(handle) });
    } catch (error) {
      throw cannotListen(bind, error as Error);
    }
    this.#warn();
    this.#timer = setInterval(() => void this.refresh(), hour).unref();
    return this.#listener.port;
  }

  /** The controller has this server certificate from now on. */
  renew(keys: ServerKeys): void {
    if (this.#keys === null) this.#listener?.renew(keys);
  }

  /** Reads the files again. While they cannot be used, the certificate stays. Never rejects. */
  async refresh(): Promise<void> {
    const { settings, log } = this.#parts;
    const before = this.#keys;
    if (before === null) return;
    try {
      const next = await readBrowserKeys(settings);
      if (next === null || (next.cert === before.cert && next.key === before.key)) return;
      this.#listener?.renew(next);
      this.#keys = next;
      log.info({ fingerprint: next.certificate.fingerprint256 }, 'the listener for browsers has another certificate');
    } catch (error) {
      const reason = error instanceof StartError ? { problems: error.problems } : { err: error };
      log.error(reason, 'the certificate for browsers cannot be used: the listener keeps what it has');
    } finally {
      this.#warn();
    }
  }

  async close(graceMs: number): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#listener?.close(graceMs);
  }

  #warn(): void {
    const { clock, log } = this.#parts;
    if (clock() - this.#warnedAt < day) return;
    for (const { file, at } of this.ends) {
      if (at - clock() >= renewalWindow) continue;
      log.warn({ file, expiresAt: new Date(at).toISOString() }, 'the certificate for browsers must be renewed');
      this.#warnedAt = clock();
    }
  }
}

function splitBind(bind: string): { readonly host: string; readonly port: number } {
  const colon = bind.lastIndexOf(':');
  return { host: bind.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(bind.slice(colon + 1)) };
}

function cannotListen(bind: string, error: Error): StartError {
  const message = `The listener for browsers cannot listen on ${bind}: ${error.message}`;
  const fix = 'free the address, or set EDGE_BROWSER_BIND to another one (port 0: any free port)';
  return new StartError([{ message, fix, setting: 'browserBind', kind: 'unusable' }], { cause: error });
}

/** `null`: the settings ask for none. */
export function createBrowserListener(
  settings: Settings,
  parts: Omit<BrowserListenerOptions, 'settings' | 'bind'>,
): BrowserListener | null {
  const { browserBind: bind } = settings;
  return bind === null ? null : new BrowserListener({ settings, bind, ...parts });
}

/** `host:port` at which browsers reach the APIs. */
export function browserAddressOf(
  { browserAddress }: Settings,
  { apiAddress, browser }: { readonly apiAddress: () => string; readonly browser: BrowserListener | null },
): string {
  if (browserAddress !== null || browser === null) return browserAddress ?? apiAddress();
  const own = apiAddress();
  return `${own.slice(0, own.lastIndexOf(':'))}:${browser.port}`;
}
