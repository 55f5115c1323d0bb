import type { Fetch } from '../../api/fetch.ts';
import { EdgeNetworkError, EdgeTimeoutError, platformCode } from '../../errors/errors.ts';
import type { Api, ControllerUrl } from '../../requests/controller-url.ts';

interface ControllerRequestsParts {
  readonly controllers: readonly [ControllerUrl, ...ControllerUrl[]];
  readonly fetch: () => Fetch;
  /** Milliseconds for one request. */
  readonly timeout: number;
}

/** A request as the controller gets it. */
export interface ControllerRequest {
  readonly api: Api;
  readonly method: string;
  /** Path below the root of the API, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | undefined;
  /** Aborts when nobody waits for the response any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to the controller that worked last, as they are. Responses may have any status. */
export class ControllerRequests {
  readonly #parts: ControllerRequestsParts;
  #preferred = 0;

  constructor(parts: ControllerRequestsParts) {
    this.#parts = parts;
  }

  /** The URL without the query, for error messages. */
  target({ api, path }: Pick<ControllerRequest, 'api' | 'path'>): string {
    return this.#url(api, path).split('?', 1)[0] ?? '';
  }

  /** @throws EdgeNetworkError, EdgeTimeoutError, the reason of the signal */
  async send(request: ControllerRequest): Promise<Response> {
    const { controllers } = this.#parts;
    // The controller may have closed a connection that was idle. Only reads may be sent again, and no TOTP code.
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const tries = isRead && !('mfa-validation-code' in request.headers) ? Math.max(2, controllers.length) : 1;
    for (let left = tries - 1; ; left -= 1) {
      const asked = this.#preferred;
      try {
        return await this.#sendOnce(request);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (this.#preferred === asked) this.#preferred = (asked + 1) % controllers.length;
        if (left === 0) throw error;
      }
    }
  }

  async #sendOnce(request: ControllerRequest): Promise<Response> {
    const { timeout } = this.#parts;
    const { api, path, method, headers, body = null, signal } = request;
    // A CA file that cannot be read is no network error.
    const fetch = this.#parts.fetch();
    const expiry = AbortSignal.timeout(timeout);
    try {
      return await fetch(this.#url(api, path), {
        ...{ method, headers, body },
        // A redirect could send the token to another server.
        redirect: 'manual',
        signal: signal === undefined ? expiry : AbortSignal.any([signal, expiry]),
      });
    } catch (error) {
      const target = this.target(request);
      if (expiry.aborted) throw new EdgeTimeoutError(target, timeout);
      throw new EdgeNetworkError(target, platformCode(error), error);
    }
  }

  #url(api: Api, path: string): string {
    const { controllers } = this.#parts;
    return (controllers[this.#preferred] ?? controllers[0]).apis[api] + path;
  }
}
