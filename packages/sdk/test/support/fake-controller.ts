import type { Fetch } from '../../src/index.ts';
import { invalidSession, sessionDetail } from './scripted-server.ts';

interface ControllerOptions {
  /** Sends a response when the test wants it. Default: at once. */
  readonly delay?: ((path: string) => Promise<unknown>) | undefined;
  /** Answers a request instead. */
  readonly instead?: ((path: string, method: string) => Response | undefined) | undefined;
}

/** A controller behind a `fetch` function, for tests that drive the time or the order of responses. */
export function fakeController({ delay = async () => undefined, instead = () => undefined }: ControllerOptions = {}) {
  const live = new Set<string>();
  const sent: { method: string; path: string; token: string | null; name: string | null }[] = [];
  const settings = { detail: {} as Record<string, unknown>, challenge: true, isDown: false };
  let issued = 0;

  const envelope = (status: number, body: object, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify({ meta: {}, ...body }), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const refusal = () =>
    envelope(
      401,
      { error: { code: 'UNAUTHORIZED', message: 'refused', requestId: 'r' } },
      settings.challenge ? invalidSession : {},
    );

  function answer(method: string, path: string, token: string): Response {
    const other = instead(path, method);
    if (other) return other;
    if (path.endsWith('/authenticate')) {
      issued += 1;
      live.add(`token-${issued}`);
      return envelope(200, { data: sessionDetail(`token-${issued}`, settings.detail) });
    }
    if (!live.has(token)) return refusal();
    if (!path.endsWith('/current-api-session')) {
      return method === 'GET' ? envelope(200, { data: [] }) : envelope(201, { data: { id: 'new', _links: {} } });
    }
    if (method === 'DELETE') live.delete(token);
    return envelope(200, { data: sessionDetail(token, settings.detail) });
  }

  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname: path, searchParams } = new URL(request.url);
    const token = request.headers.get('svc-session');
    const body = request.body ? ((await request.json()) as { name?: string }) : {};
    sent.push({ method: request.method, path, token, name: searchParams.get('filter') ?? body.name ?? null });
    if (settings.isDown) throw new TypeError('fetch failed');
    const response = answer(request.method, path, token ?? '');
    await delay(path);
    return response;
  };
  const count = (end: string) => sent.filter(({ path }) => path.endsWith(end)).length;
  return { url: 'https://controller.test', fetch, live, sent, settings, count, signIns: () => issued };
}
