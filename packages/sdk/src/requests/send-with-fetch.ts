import type { Failure, SendExchange } from './exchange.ts';

/** Sends with `fetch` alone: what a page loads. */
export const sendExchange: SendExchange = async (exchange) => {
  const { url, init, signal, hooks, fetch, repeats, mayRepeat, pause } = exchange;
  let failure: Failure | undefined;
  for (let left = repeats; ; left -= 1) {
    const request = new Request(url(), { ...init, signal });
    await hooks?.before(request, failure);
    failure = await fetch(request).then(
      (response) => ({ response }),
      (error) => ({ error }),
    );
    const { response, error } = failure;
    if (response) await hooks?.after(response);
    if (response?.ok) return response;
    if (left === 0 || !(await mayRepeat(failure))) {
      if (response) return response;
      throw error;
    }
    await sleep(pause(), signal);
  }
};

function sleep(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, time);
    function abort() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener('abort', abort);
  });
}
