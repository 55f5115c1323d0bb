import type { CurrentApiSessionDetail } from '@edge-controller/shared-types';
import { readAnswer } from './answer.ts';
import type { PreparedCall } from './calls.ts';
import { withDeadline } from './deadline.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';
import type { Recover } from './recovery.ts';
import { createRecovery } from './recovery.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { Transport, TransportAnswer } from './transport.ts';

interface CallerParts {
  readonly keeper: SessionKeeper;
  readonly transport: Transport;
  readonly apis: { readonly client: string; readonly management: string };
  readonly sessionHeader: string;
  readonly timeout: number;
  readonly reauthenticate: (() => Promise<unknown>) | undefined;
}

export interface Caller {
  /** Makes one call, with the session unless anyone may make it. */
  perform(api: 'client' | 'management', call: PreparedCall): Promise<unknown>;
  /** The token to send: the one held, else the one in the storage if the controller still knows it. */
  token(options: CallOptions): Promise<string | null>;
  recover: Recover;
}

const sessionPath = '/current-api-session';
const sessionRow: OperationRow = { method: 'GET', path: sessionPath, access: 'partial', answer: 'detail' };
const secretMembers = new Set(['password', 'token', 'currentPassword', 'newPassword']);

/** The one place where calls meet the session. */
export function createCaller({ keeper, transport, apis, sessionHeader, timeout, reauthenticate }: CallerParts): Caller {
  const recover = createRecovery({ keeper, isAlive, reauthenticate });
  let restoring: Promise<void> | null = null;

  async function attempt(url: string, call: PreparedCall, token: string | null, signal: AbortSignal) {
    const headers: Record<string, string> = token === null ? {} : { [sessionHeader]: token };
    const { row, body } = call;
    const answer = await transport({ method: row.method, url, target: withoutQuery(url), headers, body, signal });
    if (token !== null && answer.status >= 200 && answer.status < 300) keeper.touched(token);
    return answer;
  }

  async function perform(api: 'client' | 'management', call: PreparedCall): Promise<unknown> {
    const url = apis[api] + call.path;
    const target = withoutQuery(url);
    return withDeadline(
      { signal: call.options.signal, timeout: call.options.timeout ?? timeout, target },
      async (signal) => {
        let sent = call.row.access === 'anyone' ? null : await token(call.options);
        let answer = await attempt(url, call, sent, signal);
        if (answer.status === 401 && sent !== null && (await recover(sent, answer.headers))) {
          sent = keeper.token();
          answer = await attempt(url, call, sent, signal);
        }
        const data = readAnswer(answer, { row: call.row, target, secrets: secretsOf(call, sent) });
        if (sent !== null && isCurrentSession(call.row)) keeper.learned(sent, data as CurrentApiSessionDetail);
        return data;
      },
    );
  }

  async function readSession(token: string): Promise<TransportAnswer> {
    const url = apis.client + sessionPath;
    const call = { row: sessionRow, path: sessionPath, body: undefined, options: {} };
    return withDeadline({ signal: undefined, timeout, target: url }, (signal) => attempt(url, call, token, signal));
  }

  async function isAlive(token: string): Promise<boolean> {
    try {
      return (await readSession(token)).status !== 401;
    } catch {
      // No answer proves nothing: the session stays.
      return true;
    }
  }

  async function restore(): Promise<void> {
    const token = await keeper.stored();
    if (token === null || token === '' || keeper.token() !== null) return;
    const answer = await readSession(token);
    // Somebody signed in while the controller was asked.
    if (keeper.token() !== null) return;
    if (answer.status === 401) return keeper.forgetStored();
    const detail = readAnswer(answer, { row: sessionRow, target: apis.client + sessionPath, secrets: [token] });
    await keeper.begin({ ...(detail as CurrentApiSessionDetail), token });
  }

  async function token(options: CallOptions): Promise<string | null> {
    if (keeper.token() !== null) return keeper.token();
    restoring ??= restore().finally(() => {
      restoring = null;
    });
    await withDeadline(
      { signal: options.signal, timeout: options.timeout ?? timeout, target: apis.client },
      async () => restoring,
    );
    return keeper.token();
  }

  return { perform, token, recover };
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function isCurrentSession({ method, path }: OperationRow): boolean {
  return method === 'GET' && path === sessionPath;
}

function secretsOf({ path, body }: PreparedCall, token: string | null): string[] {
  const query = [...new URLSearchParams(path.split('?')[1] ?? '')];
  const members: [string, unknown][] = [...query, ...Object.entries(body ?? {}), ['token', token]];
  return members.flatMap(([name, value]) =>
    secretMembers.has(name) && typeof value === 'string' && value !== '' ? [value] : [],
  );
}
