import type { Handle } from '@sveltejs/kit/hooks';
import { sessions } from './sessions.ts';

/** Finds the session of every request. The calls of the client in the page go to the controller. */
export const handle: Handle = async ({ event, resolve }) => {
  if (event.url.pathname.startsWith('/edge/')) return sessions.handle(event.request);
  const { session, headers } = await sessions.read(event.request, { allowPartial: true });
  event.locals.session = session;
  event.locals.sessionHeaders = headers;
  const response = await resolve(event);
  // A form action may have set others.
  for (const [name, value] of event.locals.sessionHeaders) response.headers.append(name, value);
  return response;
};
