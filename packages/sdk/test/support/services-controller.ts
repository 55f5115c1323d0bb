import type { Fetch } from '../../src/index.ts';
import { fakeController } from './fake-controller.ts';

/** A service with the posture queries of one policy. */
export function serviceWith(name: string, ...postureQueries: object[]) {
  return { id: name, name, postureQueries: [{ policyId: 'p', policyType: 'Dial', isPassing: true, postureQueries }] };
}

/**
 * A controller with services. `change` sets them, as an administrator does. `responses`: what it sends instead, in this order, or
 * what happens before the usual response.
 */
export function servicesController() {
  const state = { at: 0, services: [] as { readonly id: string }[] };
  const responses: (Response | (() => void))[] = [];
  /** Method, path and query of each request behind the sign-in. */
  const seen: string[] = [];
  const bodies: unknown[] = [];
  const ok = (status: number, data: unknown) => Response.json({ data, meta: {} }, { status });

  const controller = fakeController({
    instead(path, method) {
      const last = path.slice(path.lastIndexOf('/') + 1);
      if (last === 'service-updates') return ok(200, { lastChangeAt: new Date(state.at).toISOString() });
      if (last === 'services') return ok(200, state.services);
      return method === 'POST' && last === 'posture-response-bulk' ? ok(201, { services: [] }) : undefined;
    },
  });

  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    if (!pathname.endsWith('/authenticate')) {
      seen.push(`${request.method} ${pathname.replace('/edge/client/v1/', '')}${search}`);
      if (request.body) bodies.push(await request.clone().json());
      const instead = responses.shift();
      if (instead instanceof Response) return instead;
      instead?.();
    }
    const isLive = controller.live.has(request.headers.get('svc-session') ?? '');
    if (!isLive && !pathname.endsWith('/authenticate')) return refusal(401, 'UNAUTHORIZED');
    return controller.fetch(request);
  };

  return {
    ...{ url: controller.url, live: controller.live, settings: controller.settings, fetch, seen, bodies, responses },
    polls: () => seen.filter((request) => request.includes('/service-updates')).length,
    lists: () => seen.filter((request) => request.startsWith('GET services')).length,
    change(...services: { readonly id: string }[]) {
      state.at += 1_000;
      state.services = services;
    },
  };
}

/** Nothing happens before the usual response. */
export const usual = () => undefined;

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code, message: 'refused', requestId: 'r' }, meta: {} }, { status, headers });
}
