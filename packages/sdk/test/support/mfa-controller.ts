import { json, refuse, scriptedController } from './scripted-server.ts';

export const mfaQuery = {
  ...{ typeId: 'MFA', provider: 'svc', format: 'alphaNumeric', minLength: 4, maxLength: 6 },
  ...{ httpMethod: 'POST', httpUrl: './authenticate/mfa', scopes: null },
};

/** A query of a type that the SDK does not know. */
export const palmQuery = { typeId: 'PALM', provider: 'reader', scopes: null, hand: 'left', lines: [1, { deep: true }] };

/**
 * A controller whose sign-ins have `queries` outstanding. The code `RIGHT` answers the MFA query. `LAST` uses up the
 * attempts and ends the session. Every other code is wrong.
 */
export async function mfaController(...queries: object[]) {
  const answered: string[] = [];
  const script = { onRight: () => ask(...queries.filter((query) => query !== mfaQuery)) };
  const controller = await scriptedController((seen, response) => {
    if (!seen.path.endsWith('/authenticate/mfa')) return refuse(response, 401, 'UNAUTHORIZED');
    const { code } = JSON.parse(seen.body);
    answered.push(code);
    if (code === 'LAST') {
      controller.live.delete(String(seen.headers['svc-session']));
      return refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '900', 'ratelimit-remaining': '0' });
    }
    if (code !== 'RIGHT')
      return refuse(response, 400, 'MFA_INVALID_TOKEN', { 'ratelimit-remaining': String(9 - answered.length) });
    script.onRight();
    return json(response, 200, { data: {}, meta: {} });
  });
  const ask = (...next: object[]) => {
    controller.settings.detail = { authQueries: next };
  };
  ask(...queries);
  return Object.assign(controller, {
    answered,
    /** Sets the outstanding queries. */
    ask,
    /** `onRight`: runs when the client sends the right code. */
    script,
  });
}
