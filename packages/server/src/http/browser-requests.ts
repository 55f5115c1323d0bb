import type { IncomingMessage, RequestListener } from 'node:http';

const ofBrowsers = new WeakSet<IncomingMessage>();

/** Marks that its requests come by the listener of the browsers. */
export function handleBrowsers(handle: RequestListener): RequestListener {
  return (request, response) => {
    ofBrowsers.add(request);
    return handle(request, response);
  };
}

export const isOfBrowser = (request: IncomingMessage): boolean => ofBrowsers.has(request);
