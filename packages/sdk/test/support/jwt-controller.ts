import type { SeenRequest } from './scripted-server.ts';
import { invalidSession, json, refuse, scriptedServer, sessionDetail } from './scripted-server.ts';

export const jwtQuery = {
  ...{ typeId: 'EXT-JWT', provider: 'url', id: 'signer-1', httpUrl: 'https://idp.example' },
  ...{ clientId: 'page', scopes: ['openid'] },
};

/** The JWTs that a request has, in any of the forms of the header. */
export function jwtsOf({ headers }: SeenRequest): string[] {
  return (headers.authorization ?? '').split(', ').flatMap((value) => value.split('Bearer ').filter(Boolean));
}

/**
 * A controller that asks every session for a JWT as a second factor. It accepts the JWTs in `accepted`, also as the
 * primary credential. `problem` is what it says about others. Nobody has the permission to list authenticators.
 */
export async function jwtController() {
  const accepted = new Set<string>();
  const live = new Set<string>();
  let issued = 0;
  const state = { problem: 'expired', asks: true };
  const server = await scriptedServer((seen, response) => {
    const proven = jwtsOf(seen).some((jwt) => accepted.has(jwt));
    const queries = proven || !state.asks ? [] : [jwtQuery];
    if (seen.path.includes('/authenticate?')) {
      const challenge = (kind: string) => ({
        'www-authenticate': `Bearer realm="openziti-${kind}-ext-jwt" error="${state.problem}" error_description="d" id="signer-1" issuer="https://idp.example"`,
      });
      if (seen.path.endsWith('ext-jwt') && !proven) return refuse(response, 401, 'UNAUTHORIZED', challenge('primary'));
      issued += 1;
      const token = `token-${issued}`;
      live.add(token);
      const headers = queries.length > 0 ? challenge('secondary') : {};
      return json(response, 200, { data: sessionDetail(token, { authQueries: queries }), meta: {} }, headers);
    }
    const token = String(seen.headers['svc-session']);
    if (!live.has(token)) return refuse(response, 401, 'UNAUTHORIZED', invalidSession);
    if (/\/current-api-session(\?|$)/.test(seen.path)) {
      if (seen.method === 'DELETE') live.delete(token);
      const data = seen.method === 'DELETE' ? {} : sessionDetail(token, { authQueries: queries });
      return json(response, 200, { data, meta: {} });
    }
    if (queries.length > 0 || seen.path.endsWith('/authenticators')) return refuse(response, 401, 'UNAUTHORIZED');
    return json(response, 200, { data: [], meta: {} });
  });
  return Object.assign(server, { accepted, live, state });
}
