import type { CurrentApiSessionDetail } from '@edge-controller/shared-types';
import { readAnswer } from './answer.ts';
import type { PreparedCall } from './calls.ts';
import { withDeadline } from './deadline.ts';
import { EdgeAuthQueryError, isEdgeApiError } from './errors.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';
import type { Recovery } from './recovery.ts';
import { createRecovery } from './recovery.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { Transport } from './transport.ts';

interface CallerParts {
  readonly keeper: SessionKeeper;
  readonly transport: Transport;
  readonly apis: { readonly client: string; readonly management: string };
  readonly sessionHeader: string;
  readonly timeout: number;
  readonly reauthenticate: (() => Promise<unknown>) | undefined;
}

interface Attempt {
  readonly status: number;
  readonly headers: Headers;
  /** What the answer says, as data or as the error thrown. What it says about the session held is learned. */
  readonly read: () => unknown;
}

export interface Caller {
  /**
   * Makes one call, with the session unless anyone may make it. With `pinned` it carries that token, and neither signs
   * in anew nor is repeated under another session.
   */
  perform(api: 'client' | 'management', call: PreparedCall, pinned?: string): Promise<unknown>;
  /** The token to send: the one held, else the one in the storage if the controller still knows it. */
  token(options: CallOptions): Promise<string | null>;
  readonly recover: Recovery['recover'];
}

const sessionPath = '/current-api-session';
const sessionRow: OperationRow = { method: 'GET', path: sessionPath, access: 'partial', answer: 'detail' };
const codeHeader = 'mfa-validation-code';
const secretMembers = new Set(['password', 'token', 'currentPassword', 'newPassword', 'code', codeHeader]);

/** The one place where calls meet the session. */
export function createCaller({ keeper, transport, apis, sessionHeader, timeout, reauthenticate }: CallerParts): Caller {
  const { recover, endIfGone } = createRecovery({ keeper, isAlive, reauthenticate });
  const sessionUrl = apis.client + sessionPath;
  let restoring: Promise<void> | null = null;

  async function attempt(url: string, call: PreparedCall, token: string | null, signal: AbortSignal): Promise<Attempt> {
    const { row, body } = call;
    const { method } = row;
    const target = withoutQuery(url);
    const once = codeHeader in call.headers;
    const learn = token === null ? undefined : keeper.reading(token);
    const headers = token === null ? call.headers : { ...call.headers, [sessionHeader]: token };
    const accept = row.answer === 'png' ? 'image/png, application/json' : 'application/json';
    const answer = await transport({ method, url, target, headers, accept, body, signal, once });
    const { status } = answer;
    if (token !== null && status >= 200 && status < 300) keeper.touched(token);
    return {
      status,
      headers: answer.headers,
      read() {
        const data = readAnswer(answer, { row, target, secrets: secretsOf(call, token) });
        if (isCurrentSession(row)) learn?.(data as CurrentApiSessionDetail);
        return data;
      },
    };
  }

  async function perform(api: 'client' | 'management', call: PreparedCall, pinned?: string): Promise<unknown> {
    const url = apis[api] + call.path;
    const target = withoutQuery(url);
    return withDeadline(
      { signal: call.options.signal, timeout: call.options.timeout ?? timeout, target },
      async (signal) => {
        let sent = call.row.access === 'anyone' ? null : (pinned ?? (await token(call.options)));
        let answer = await attempt(url, call, sent, signal);
        if (sent !== null && mayBeGone(answer, sent, pinned)) await endIfGone(sent, answer.headers);
        else if (sent !== null && answer.status === 401 && (await recover(sent, answer.headers))) {
          sent = keeper.token();
          answer = await attempt(url, call, sent, signal);
        }
        return outcome(answer, call.row, sent);
      },
    );
  }

  /** Too many wrong codes are 429, and the controller removes a partial session for them. */
  function mayBeGone({ status }: Attempt, sent: string, pinned: string | undefined): boolean {
    return status === 401 ? pinned !== undefined : status === 429 && isPartial(sent);
  }

  function isPartial(token: string | null): boolean {
    return token !== null && keeper.token() === token && keeper.view()?.state === 'partial';
  }

  /** To the controller a partial session and a missing permission are the same 401; the remedies differ. */
  function outcome(answer: Attempt, { access }: OperationRow, sent: string | null): unknown {
    try {
      return answer.read();
    } catch (error) {
      const isRefused = isEdgeApiError(error) && error.status === 401;
      if (isRefused && access !== 'partial' && isPartial(sent)) throw new EdgeAuthQueryError('OUTSTANDING', error);
      throw error;
    }
  }

  async function askForSession(token: string): Promise<Attempt> {
    const call = { row: sessionRow, path: sessionPath, headers: {}, body: undefined, options: {} };
    return withDeadline({ signal: undefined, timeout, target: sessionUrl }, (signal) =>
      attempt(sessionUrl, call, token, signal),
    );
  }

  async function isAlive(token: string): Promise<boolean> {
    try {
      const answer = await askForSession(token);
      if (answer.status === 401) return false;
      // After a change of the policy a full session is partial.
      answer.read();
      return true;
    } catch {
      // No answer proves nothing: the session stays.
      return true;
    }
  }

  async function restore(): Promise<void> {
    const token = await keeper.stored();
    if (token === null || token === '' || keeper.token() !== null) return;
    const answer = await askForSession(token);
    // Somebody signed in while the controller was asked.
    if (keeper.token() !== null) return;
    if (answer.status === 401) return keeper.forgetStored();
    await keeper.begin({ ...(answer.read() as CurrentApiSessionDetail), token });
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

function secretsOf({ path, headers, body }: PreparedCall, token: string | null): string[] {
  const query = [...new URLSearchParams(path.split('?')[1] ?? '')];
  const members: [string, unknown][] = [
    ...query,
    ...Object.entries(headers),
    ...Object.entries(body ?? {}),
    ['token', token],
  ];
  return members.flatMap(([name, value]) =>
    secretMembers.has(name) && typeof value === 'string' && value !== '' ? [value] : [],
  );
}
