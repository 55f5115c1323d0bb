import Koa from 'koa';
import compose from 'koa-compose';
import type { Settings } from '../core/config/schema.ts';
import type { Logger } from '../core/log/log.ts';
import { accessLog } from './middleware/access-log.ts';
import { clientAddress } from './middleware/client-address.ts';
import { crossOrigin } from './middleware/cross-origin.ts';
import { errorEnvelope } from './middleware/error-envelope.ts';
import type { LimitedOptions } from './middleware/on-completion.ts';
import { countRequest, onCompletion, recordLimited } from './middleware/on-completion.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { timeLimit } from './middleware/time-limit.ts';
import { traceRequest } from './middleware/trace-request.ts';
import { operations } from './operations/index.ts';
import type { OperationsOptions } from './operations/routers.ts';
import { pages } from './pages/pages.ts';
import type { Middleware } from './request-state.ts';

export interface HttpOptions extends LimitedOptions, Omit<OperationsOptions, 'sessionHeaders'> {
  readonly settings: Settings;
  readonly log: Logger;
  /** Serves the web console, if there is one. */
  readonly webConsole?: Koa.Middleware | null;
  /** Milliseconds after which a request is refused with 503; default 10,000. */
  readonly timeLimit?: number;
}

/** The paths of the controller in a shared application. On its own, it serves paths without a base, too. */
const ownPaths = /^\/(edge|fabric\/v1|\.well-known\/est)\//;
const consolePaths = /^\/console(\/|\?|$)/;

/**
 * The Koa application that serves both APIs. Middleware that is added to it runs behind the list below and before the
 * pages and the operations. `middleware` makes one middleware of all that it does; it leaves other paths alone.
 */
export function createHttpApp(options: HttpOptions): { app: Koa; middleware: () => Koa.Middleware } {
  const { settings, log, webConsole } = options;
  const routes = operations({ ...options, sessionHeaders: settings.sessionHeaders });
  const ownPages = [
    ...(webConsole ? [webConsole] : []),
    ...(settings.docsEnabled ? [pages({ hasConsole: Boolean(webConsole) })] : []),
  ];
  const withRoutes = (middleware: readonly Koa.Middleware[]) => compose([...middleware, ...ownPages, routes]);
  // An option of Koa that its types do not know.
  const composition = { proxy: false, compose: withRoutes };
  const app = new Koa(composition);
  const { requests, traces } = options;
  app.use(onCompletion([accessLog(log), recordLimited(options), ...(requests ? [countRequest(requests)] : [])]));
  if (traces) app.use(traceRequest(traces));
  app.use(errorEnvelope(log));
  app.use(fromSetting(() => settings.trustedProxies, clientAddress));
  app.use(securityHeaders);
  const { sessionHeaders } = settings;
  app.use(
    fromSetting(
      () => settings.corsOrigins,
      (corsOrigins) => crossOrigin({ corsOrigins, sessionHeaders }),
    ),
  );
  app.use(timeLimit(options.timeLimit ?? 10_000, log));
  // Koa reports here what fails after a response has begun, and clients that go away.
  app.on('error', (error) => log[isClientGone(error) ? 'debug' : 'error']({ err: error }, 'response broke off'));
  const middleware = (): Koa.Middleware => {
    const all = withRoutes(app.middleware);
    const isOwn = (url: string) => ownPaths.test(url) || (settings.consoleEnabled && consolePaths.test(url));
    return (ctx, next) => (isOwn(ctx.url) ? all(ctx, next) : next());
  };
  return { app, middleware };
}

function isClientGone({ code }: NodeJS.ErrnoException): boolean {
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code ?? '');
}

/** A middleware that is made of a setting, and made anew when the setting has another value. */
function fromSetting<Value>(read: () => Value, create: (value: Value) => Middleware): Middleware {
  let builtOf = read();
  let middleware = create(builtOf);
  return (ctx, next) => {
    const value = read();
    if (value !== builtOf) {
      builtOf = value;
      middleware = create(value);
    }
    return middleware(ctx, next);
  };
}
