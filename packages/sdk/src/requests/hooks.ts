import type { EdgeClientOptions, EdgeRequest, Logger } from '../api/options.ts';
import { isEdgeNetworkError, isEdgeTimeoutError } from '../errors/error-guards.ts';
import type { CallHooks, Failure } from './exchange.ts';

export type HookOptions = Pick<EdgeClientOptions, 'headers' | 'onRequest' | 'onResponse' | 'logger' | 'traceparent'>;

const traceContext = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-([\da-f]{2})$/;

/** Creates the hooks of a client. The returned function makes the hooks of one call, which may need several requests. */
export function createHooks({ headers, onRequest, onResponse, logger, traceparent }: HookOptions) {
  function log(level: keyof Logger, text: string): void {
    try {
      logger?.[level](text);
    } catch {
      // A failing logger must not affect the call.
    }
  }

  return (): CallHooks => {
    const trace = traceparent ? new Trace(traceparent) : null;
    let startedAt = 0;
    let target = '';
    let seen: EdgeRequest;
    let ownNames: ReadonlySet<string> | undefined;

    /** Completes the headers of a request. What the call needs wins over the `headers` of the client. */
    async function prepare({ method, url, headers: ownHeaders }: Request): Promise<void> {
      seen = { method: method as EdgeRequest['method'], url, headers: ownHeaders };
      target = `${method} ${url.split('?', 1)[0]}`;
      ownNames ??= new Set(ownHeaders.keys());
      const more = typeof headers === 'function' ? headers(seen) : (headers ?? {});
      for (const [name, value] of Object.entries(more)) {
        if (!ownNames.has(name.toLowerCase())) ownHeaders.set(name, value);
      }
      if (trace) ownHeaders.set('traceparent', trace.next());
      await onRequest?.(seen);
      startedAt = performance.now();
    }

    const time = () => `after ${Math.round(performance.now() - startedAt)} ms`;

    return {
      before(request, failure) {
        if (failure) log('warn', `${target}: ${reasonOf(failure)}; sent again ${time()}`);
        return prepare(request);
      },
      async after(response) {
        log('debug', `${target}: ${response.status} ${time()}`);
        await onResponse?.(seen, response);
      },
      failed(error) {
        if (isEdgeNetworkError(error) || isEdgeTimeoutError(error)) log('error', `${target}: ${reasonOf({ error })}`);
      },
    };
  };
}

/** The trace of one call: each of its requests has a span of its own. */
class Trace {
  readonly #source: true | (() => string);
  #value: string | null = null;

  constructor(source: true | (() => string)) {
    this.#source = source;
  }

  /** The header of the next request. */
  next(): string {
    if (this.#value !== null) {
      return this.#value.replace(traceContext, (_whole, id, flags) => `00-${id}-${randomHex(8)}-${flags}`);
    }
    const source = this.#source;
    this.#value = source === true ? `00-${randomHex(16)}-${randomHex(8)}-01` : source();
    if (!traceContext.test(this.#value))
      throw new TypeError('traceparent must return a value of the W3C trace context');
    return this.#value;
  }
}

function reasonOf({ response, error }: Failure): string {
  if (response) return String(response.status);
  return isEdgeTimeoutError(error) ? 'no response in time' : String(error?.message);
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
