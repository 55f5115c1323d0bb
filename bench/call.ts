import { Agent, request } from 'node:https';

export interface HttpResponse {
  readonly text: string;
  /** As they were sent, name after value. */
  readonly rawHeaders: readonly string[];
}

export interface CallOptions {
  readonly token?: string;
  /** Sent as `Authorization: Bearer`. */
  readonly jwt?: string;
  /** What to POST; without it `url` is read. */
  readonly body?: string;
  /** Default: POST with a body, GET without one. */
  readonly method?: 'PATCH';
  /** Default: JSON. */
  readonly contentType?: string;
}

export const credentials = JSON.stringify({ username: 'admin', password: 'a password of the admin' });
export const signInPath = '/edge/client/v1/authenticate?method=password';
export const sessionPath = '/edge/client/v1/current-api-session';

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** Sends one request over a connection that is kept. Rejects when the response is neither 200 nor 201. */
export function call(url: string, options: CallOptions = {}): Promise<HttpResponse> {
  const { token, jwt, body, contentType = 'application/json', method = body ? 'POST' : 'GET' } = options;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(body ? { 'content-type': contentType } : {}),
      ...(token ? { 'svc-session': token } : {}),
      ...(jwt ? { authorization: `Bearer ${jwt}` } : {}),
    };
    const outgoing = request(url, { method, agent, headers }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (incoming.statusCode === 200 || incoming.statusCode === 201)
          resolve({ text, rawHeaders: incoming.rawHeaders });
        else reject(new Error(`${incoming.statusCode} ${text}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Signs the admin in; resolves to the session token. */
export async function signIn(url: string): Promise<string> {
  return JSON.parse((await call(url + signInPath, { body: credentials })).text).data.token;
}
