import { extname } from 'node:path';
import { isRead } from '../is-read.ts';
import type { Context, Middleware } from '../request-state.ts';
import { unknownPath } from '../unknown-path.ts';
import { withoutOrigin } from '../without-origin.ts';
import { wrongMethod } from '../wrong-method.ts';
import type { ConsoleFile, Encoding } from './console-file.ts';
import type { ConsoleFiles } from './read-console.ts';
import { base } from './read-console.ts';

/** The one with the fewest bytes first. */
const encodings: readonly Encoding[] = ['br', 'gzip'];
const year = 31_536_000;
const permissionsPolicy = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

/**
 * Serves the web console. It needs no session, and nothing in it is secret. A path leads to the file that a map has for it, or
 * to `index.html`, in which the console shows one of its pages.
 */
export function webConsole({ byPath, index, policy }: ConsoleFiles): Middleware {
  return (ctx, next) => {
    // Not `ctx.path`: it throws when the target is no path.
    const target = withoutOrigin(ctx.url);
    const [path = ''] = target.split('?', 1);
    const isBase = `${path}/` === base;
    if (!isBase && !path.startsWith(base)) return next();
    const file = byPath.get(path) ?? (isBase || isPage(path) ? index : undefined);
    if (!file) throw unknownPath(path);
    if (!isRead(ctx)) throw wrongMethod(ctx, ['HEAD', 'GET']);
    return isBase ? redirect(ctx, base + target.slice(path.length)) : send(ctx, file, policy);
  };
}

/** The names of files that pages load. Not just anything behind a dot: an id may have dots. */
const fileName = /\.(avif|css|gif|html?|ico|jpe?g|m?js|json|map|png|svg|ttf|txt|wasm|webmanifest|webp|woff2?|xml)$/i;

/** Whether a path can be one of a page. A name of it is never empty, climbs nowhere and hides no slash. */
function isPage(path: string): boolean {
  if (path === base) return true;
  const names = path.slice(base.length).replace(/\/$/, '').split('/').map(decoded);
  return names.every(isName) && names[0] !== 'assets' && !fileName.test(names.at(-1) ?? '');
}

function isName(name: string): boolean {
  return !['', '.', '..'].includes(name) && !/[/\\\p{Cc}]/u.test(name);
}

/** Empty when it is not encoded as it should be. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}

function redirect(ctx: Context, location: string): void {
  ctx.status = 308;
  ctx.redirect(location);
}

async function send(ctx: Context, file: ConsoleFile, policy: string): Promise<void> {
  ctx.vary('Accept-Encoding');
  const { encoding, bytes, etag } = await file.in(encodings.find((name) => ctx.acceptsEncodings(name)) ?? null);
  ctx.set({
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': permissionsPolicy,
    'Cache-Control': file.isImmutable ? `public, max-age=${year}, immutable` : 'no-cache',
    ETag: etag,
  });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding !== null) ctx.set('Content-Encoding', encoding);
  ctx.type = extname(file.name);
  ctx.body = bytes;
}
