import type { HTTPError, KyRequest } from 'ky';
import ky from 'ky';
import type { Failure, SendExchange } from './exchange.ts';

/** Sends with ky: in Node, in workers, and wherever the code is not bundled for a page. */
export const sendExchange: SendExchange = async (exchange) => {
  const { url, init, signal, hooks, fetch, repeats, mayRepeat, pause } = exchange;
  let last: Response | undefined;
  const failureOf = (error: Error): Failure => (last ? { response: last } : { error });
  try {
    return await ky(url(), {
      ...{ ...init, signal, timeout: false },
      async fetch(request) {
        last = undefined;
        last = await fetch(request as Request);
        return last;
      },
      retry: {
        limit: repeats,
        methods: ['get', 'head', 'put', 'post', 'patch', 'delete'],
        jitter: pause,
        shouldRetry: ({ error }) => mayRepeat(failureOf(error)),
      },
      hooks: {
        beforeRequest: [({ request }) => hooks?.before(request)],
        beforeRetry: [
          async ({ request: { signal }, error }) => {
            const request = new Request(url(), { ...init, signal }) as KyRequest;
            await hooks?.before(request, failureOf(error));
            return request;
          },
        ],
        afterResponse: [({ response }) => hooks?.after(response)],
      },
    });
  } catch (error) {
    // A hook may use ky, too: its error has another response.
    if (last && (error as Partial<HTTPError> | null)?.response === last) return last;
    throw error;
  }
};
