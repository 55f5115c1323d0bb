import type { ServerResponse } from 'node:http';
import type { Controller } from '../../src/index.ts';
import type { Api } from '../documents/reference/check-response.ts';
import { checkResponse } from '../documents/reference/check-response.ts';

/** What the responses of the present test have that the reference does not, and the table of differences neither. */
const unlisted = new Set<string>();

/** Returns the differences since the last call. */
export function takeUnlisted(): string[] {
  const taken = [...unlisted];
  unlisted.clear();
  return taken;
}

/** Bytes of a response that are read. A longer list has the same members in its other rows. */
const limit = 1_048_576;

/** Compares what a controller sends with the reference, whoever asks for it. */
export function observeResponses({ app }: Controller): void {
  app.use((ctx, next) => {
    collectBody(ctx.res, (text) => {
      // The routes set both: the API, and the path as `/identities/:id`. The reference has nothing below `/fabric`.
      const { state, _matchedRoute: route } = ctx as typeof ctx & { _matchedRoute?: string };
      if (route === undefined || !ctx.response.is('application/json') || ctx.url.startsWith('/fabric/')) return;
      const operation = `${ctx.method} ${route.replaceAll(/:(\w+)/g, '{$1}')}`;
      const response = { api: state.api as Api, operation, status: ctx.status, body: parse(text) };
      for (const difference of checkResponse(response)) unlisted.add(difference);
    });
    return next();
  });
}

/** A text that is no JSON is found as a value of another type. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Calls `use` with the body before the client has all of it, so that the test cannot end before. */
function collectBody(response: ServerResponse, use: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const collect = ([chunk]: readonly unknown[]) => {
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return;
    length += chunk.length;
    if (length <= limit) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = (...args: unknown[]) => {
    collect(args);
    return Reflect.apply(write, response, args);
  };
  response.end = (...args: unknown[]) => {
    collect(args);
    if (length > 0 && length <= limit) use(Buffer.concat(chunks).toString());
    return Reflect.apply(end, response, args);
  };
}
