import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '@edge-controller/shared-types';
import { ApiError, invalidField } from '../api-error.ts';
import type { Call, Services } from '../call.ts';
import type { Settings } from '../config/schema.ts';
import type { Logger } from '../lib/log.ts';
import type { ActiveSession } from '../sessions/session.ts';
import type { Page } from '../stores/page.ts';
import { createClientAddress } from './client-address.ts';
import { createCors } from './cors.ts';
import { createBody, detailBody, emptyBody } from './envelope.ts';
import type { Exchange } from './exchange.ts';
import { createExchange, send, sendError, sendPng } from './exchange.ts';
import { logRequest } from './log-request.ts';
import type { Mounted, Surface } from './mount.ts';
import { mountApi } from './mount.ts';
import { checkAccept } from './negotiate.ts';
import type { Target } from './path.ts';
import { basePaths, splitTarget } from './path.ts';
import { createRateLimit } from './rate-limit.ts';
import { BodyInterrupted, checkAnnouncedLength, hasBody, readBody } from './read-body.ts';
import { readInput } from './read-input.ts';
import type { Match } from './route-table.ts';
import { sendList } from './send-list.ts';
import { createSessionHeader } from './session-header.ts';

export interface HttpOptions {
  readonly settings: Settings;
  readonly services: Services;
  /** Made with `surface(tree, handlers)`. */
  readonly apis: { readonly client: Surface; readonly management: Surface };
  /** Reads and touches the API session of a token and judges it; `null`: there is no live one. */
  readonly resolveSession: (token: string, services: Services) => Promise<ActiveSession | null>;
  /** Whether a session may call operations of an access level. */
  readonly allows: (access: Access, session: ActiveSession) => boolean;
  /** What `/.well-known/est/cacerts` answers. */
  readonly caBundle: { readonly pkcs7Base64: string };
  readonly log: Logger;
  /** Milliseconds after which a request is answered with 503; default 10,000. */
  readonly timeLimit?: number;
}

const caBundlePath = '/.well-known/est/cacerts';
const caBundleType = 'application/pkcs7-mime';

/** Makes the function that answers a request. It never rejects. */
export function createServe(
  options: HttpOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { services, settings, log, timeLimit = 10_000 } = options;
  const tables = { client: mountApi(options.apis.client), management: mountApi(options.apis.management) };
  const cors = createCors(settings);
  const clientAddress = createClientAddress(settings.trustedProxies);
  const sessionHeader = createSessionHeader(settings.sessionHeaders);
  const limitAttempts = createRateLimit({
    rate: settings.signInRate,
    burst: settings.signInBurst,
    clock: services.clock,
  });

  return async (request, response) => {
    const startedAt = performance.now();
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const exchange = createExchange(request, response, {
      path: mark < 0 ? url : url.slice(0, mark),
      clientAddress: clientAddress(request),
      headers: cors.headers(request),
    });
    try {
      await answer(exchange, splitTarget(url));
    } catch (error) {
      // Nobody is left to answer.
      if (error instanceof BodyInterrupted) return;
      logRequest.failure(log, exchange, error);
      sendError(exchange, error);
    }
    logRequest.done(log, exchange, performance.now() - startedAt);
  };

  async function answer(exchange: Exchange, target: Target): Promise<void> {
    const { request } = exchange;
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      throw invalidField('Host', 'Host in header is required');
    }
    const preflight = cors.preflight(request);
    if (preflight === null) throw new ApiError('ORIGIN_NOT_ALLOWED');
    if (preflight) return send(exchange, 204, '', preflight);
    checkAnnouncedLength(request);

    const method = request.method ?? '';
    const match = tables[target.api].find(target.path);
    const mounted = match?.route.methods.get(method);
    if (mounted?.operation.attempt) limitAttempts(exchange.clientAddress);
    const isAnonymous = mounted?.operation.access === 'anyone';
    const token = isAnonymous ? null : sessionHeader.read(request);
    const takeBody = async () => {
      if (!hasBody(request)) return null;
      const isWanted = mounted?.operation.body !== undefined && (isAnonymous || token !== null);
      return readBody(request, isWanted ? 'everything' : 'nothing');
    };
    await withTimeLimit(exchange, async () => {
      const body = await takeBody();
      if (target.path === caBundlePath) return sendCaBundle(exchange);
      if (!match) throw noSuchPath(target);
      if (!mounted) throw noSuchMethod(method, [...match.route.methods.keys()]);
      await perform(exchange, { target, match, mounted, token, body });
    });
  }

  async function perform(exchange: Exchange, work: Work): Promise<void> {
    const { target, match, mounted, token, body } = work;
    const { access } = mounted.operation;
    let session: ActiveSession | null = null;
    if (access !== 'anyone') {
      if (token === null) throw sessionHeader.missing();
      session = sessionHeader.isPlausible(token) ? await options.resolveSession(token, services) : null;
      if (session === null) throw sessionHeader.invalid();
      exchange.identityId = session.principal.id;
    }
    const input = readInput(mounted, { request: exchange.request, params: match.params, query: target.query, body });
    if (session !== null && !options.allows(access, session)) throw new ApiError('UNAUTHORIZED');
    const output = await mounted.handler(createCall(services, target.api, exchange, session), input);
    await sendOutput(exchange, mounted, output);
  }

  /** Answers 503 when `work` takes too long. The work goes on; what it would have answered is dropped. */
  async function withTimeLimit(exchange: Exchange, work: () => Promise<void>): Promise<void> {
    const timer = setTimeout(() => sendError(exchange, new ApiError('TIMEOUT')), timeLimit);
    try {
      await work();
    } finally {
      clearTimeout(timer);
    }
  }

  function sendCaBundle(exchange: Exchange): void {
    if (exchange.request.method !== 'GET') throw noSuchMethod(exchange.request.method ?? '', ['GET']);
    checkAccept(exchange.request, caBundleType);
    const headers = ['Content-Type', caBundleType, 'Content-Transfer-Encoding', 'base64'];
    send(exchange, 200, options.caBundle.pkcs7Base64, headers);
  }
}

interface Work {
  readonly target: Target;
  readonly match: Match<Mounted>;
  readonly mounted: Mounted;
  readonly token: string | null;
  readonly body: Buffer | null;
}

/** The call sees the services through its prototype: spreading them would cost more than the rest of it. */
function createCall(services: Services, api: Call['api'], exchange: Exchange, session: ActiveSession | null): Call {
  const { clientAddress, responseHeaders } = exchange;
  return Object.assign(Object.create(services), {
    api,
    clientAddress,
    responseHeaders,
    requestId: exchange.requestId,
    session,
  });
}

/** Writes what a handler returned into the envelope of its operation; `mountApi` paired the two. */
async function sendOutput(exchange: Exchange, { operation, cut, collection }: Mounted, output: unknown): Promise<void> {
  switch (operation.answer) {
    case 'detail':
      return send(exchange, 200, detailBody(cut ? cut(output) : output));
    case 'list':
      return await sendList(exchange, output as Page<unknown>, cut);
    case 'create': {
      const { id, href = `./${collection}/${id}` } = output as { id: string; href?: string };
      return send(exchange, 201, createBody(href, id));
    }
    case 'png':
      return sendPng(exchange, output as Uint8Array);
    case 'empty':
      return send(exchange, 200, emptyBody);
  }
}

function noSuchPath({ api, path }: Target): ApiError {
  const message = `path ${`${basePaths[api]}${path}`.slice(0, 256)} was not found`;
  return new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
}

function noSuchMethod(method: string, allowed: readonly string[]): ApiError {
  const message = `method ${method} is not allowed, but [${allowed.join(',')}] are`;
  return new ApiError('METHOD_NOT_ALLOWED', {
    cause: { code: 'UNHANDLED', message },
    headers: { Allow: allowed.join(', ') },
  });
}
