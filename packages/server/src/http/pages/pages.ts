import { acceptedType } from '../../core/text/accepted-type.ts';
import { isRead } from '../is-read.ts';
import type { Context, Middleware } from '../request-state.ts';
import { withoutOrigin } from '../without-origin.ts';
import { wrongMethod } from '../wrong-method.ts';
import type { PageFile } from './page-files.ts';
import { loadPageFile, overview, overviewWithConsole, pageFiles } from './page-files.ts';

/** Only files of the controller, and no inline scripts or styles. Swagger UI has its icons in `data:` URLs. */
const policy = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

/** RFC 8631: where the documents are, for a program that knows only the address of the controller. */
const links = [
  '</edge/docs>; rel="service-doc"; type="text/html"',
  '</edge/client/v1/openapi.json>; rel="service-desc"; type="application/json"; title="Edge Client API"',
  '</edge/management/v1/openapi.json>; rel="service-desc"; type="application/json"; title="Edge Management API"',
].join(', ');

/**
 * The pages that show the API documents to people. They need no session, and nothing in them is secret. At `/`, a browser
 * gets a page, and every other client the version of the controller. This page has a link to the web console, if there is one.
 */
export function pages({ hasConsole }: { readonly hasConsole: boolean }): Middleware {
  return (ctx, next) => {
    // Not `ctx.path`: it throws when the target is no path.
    const [path = ''] = withoutOrigin(ctx.url).split('?', 1);
    const file = pageFiles.get(path);
    if (file) return send(ctx, file);
    if (path !== '/') return next();
    ctx.set('Link', links);
    ctx.vary('Accept');
    return isRead(ctx) && prefersPage(ctx) ? send(ctx, hasConsole ? overviewWithConsole : overview) : next();
  };
}

async function send(ctx: Context, file: PageFile): Promise<void> {
  if (!isRead(ctx)) throw wrongMethod(ctx, ['HEAD', 'GET']);
  const { bytes, etag } = await loadPageFile(file);
  ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache', ETag: etag });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = `${file.type}; charset=utf-8`;
  ctx.body = bytes;
}

function prefersPage({ req }: Context): boolean {
  return acceptedType(req.headers.accept ?? '', ['application/json', 'text/html']) === 'text/html';
}
