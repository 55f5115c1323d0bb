import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

const management = '/edge/management/v1';
const admin = { username: 'admin', password: 'a password of the admin' };

export interface TimedResponse {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

export interface PasswordRules {
  readonly allowed?: boolean;
  readonly maxAttempts?: number;
}

/** Signs in, and administers users, over connections that are kept. */
export type TimingClient = Awaited<ReturnType<typeof connect>>;

/** @param connections how many requests can be under way at once */
export async function connect(url: string, { caFile, connections }: { caFile: string; connections: number }) {
  const agent = new Agent({ ca: readFileSync(caFile), keepAlive: true, maxSockets: connections });
  const send = (method: string, path: string, { token, body }: { token?: string; body?: object } = {}) =>
    new Promise<TimedResponse>((resolve, reject) => {
      const payload = JSON.stringify(body ?? {});
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        ...(token ? { 'svc-session': token } : {}),
      };
      const startedAt = performance.now();
      const outgoing = request(url + path, { method, agent, headers }, (incoming) => {
        const milliseconds = performance.now() - startedAt;
        let text = '';
        incoming.on('data', (chunk) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text, milliseconds }));
      });
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  const signIn = (username: string, password: string) =>
    send('POST', '/edge/client/v1/authenticate?method=password', { body: { username, password } });

  let token: string = JSON.parse((await signIn(admin.username, admin.password)).text).data.token;
  const manage = async (path: string, body: object): Promise<string | undefined> => {
    let response = await send('POST', management + path, { token, body });
    if (response.status === 401) {
      token = JSON.parse((await signIn(admin.username, admin.password)).text).data.token;
      response = await send('POST', management + path, { token, body });
    }
    if (response.status >= 300) throw new Error(`${path} responded with ${response.status}: ${response.text}`);
    return JSON.parse(response.text).data?.id;
  };

  return {
    signIn,
    /** Opens the connections, so that no measured request waits for one. */
    warmUp: () => Promise.all(Array.from({ length: connections }, () => send('GET', '/version'))),
    /** Adds a user under an auth policy with these rules. Returns the id of the identity. */
    async addUser(username: string, password: string, { allowed = true, maxAttempts = 0 }: PasswordRules) {
      const rules = { requireSpecialChar: false, requireNumberChar: false, requireMixedCase: false };
      const updb = { ...rules, allowed, minPasswordLength: 5, maxAttempts, lockoutDurationMinutes: 0 };
      const cert = { allowed: false, allowExpiredCerts: false };
      const primary = { cert, extJwt: { allowed: false, allowedSigners: [] }, updb };
      const policy = { name: `of ${username}`, primary, secondary: { requireTotp: false } };
      const authPolicyId = await manage('/auth-policies', policy);
      const identityId = await manage('/identities', { name: username, type: 'User', isAdmin: false, authPolicyId });
      await manage('/authenticators', { method: 'updb', identityId, username, password });
      return identityId ?? '';
    },
    disable: (id: string) => manage(`/identities/${id}/disable`, { durationMinutes: 0 }),
    /** Enables an identity and forgets its wrong passwords. */
    enable: (id: string) => manage(`/identities/${id}/enable`, {}),
    close: () => agent.destroy(),
  };
}
