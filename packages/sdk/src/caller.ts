import type { CurrentApiSessionDetail } from '@edge-controller/shared-types';
import { readAnswer } from './answer.ts';
import type { PreparedCall } from './calls.ts';
import { withDeadline } from './deadline.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';
import type { Recovery } from './recovery.ts';
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

  async function attempt(url: string, call: PreparedCall, token: string | null, signal: AbortSignal) {
    const { row, body } = call;
    const { method } = row;
    const once = codeHeader in call.headers;
    const learn = token === null ? undefined : keeper.reading(token);
    const headers = token === null ? call.headers : { ...call.headers, [sessionHeader]: token };
    const accept = row.answer === 'png' ? 'image/png, application/json' : 'application/json';
    const answer = await transport({ method, url, target: withoutQuery(url), headers, accept, body, signal, once });
    if (token === null || answer.status < 200 || answer.status >= 300) return answer;
    keeper.touched(token);
    if (isCurrentSession(row)) learn?.(readSession(answer, token));
    return answer;
  }

  async function perform(api: 'client' | 'management', call: PreparedCall, pinned?: string): Promise<unknown> {
    const url = apis[api] + call.path;
    const target = withoutQuery(url);
    return withDeadline(
      { signal: call.options.signal, timeout: call.options.timeout ?? timeout, target },
      async (signal) => {
        let sent = call.row.access === 'anyone' ? null : (pinned ?? (await token(call.options)));
        let answer = await attempt(url, call, sent, signal);
        if (sent !== null && mayBeGone(answer, pinned)) await endIfGone(sent, answer.headers);
        else if (sent !== null && answer.status === 401 && (await recover(sent, answer.headers))) {
          sent = keeper.token();
          answer = await attempt(url, call, sent, signal);
        }
        return readAnswer(answer, { row: call.row, target, secrets: secretsOf(call, sent) });
      },
    );
  }

  /** Too many wrong codes are 429, and the controller removes a partial session for them. */
  function mayBeGone({ status }: TransportAnswer, pinned: string | undefined): boolean {
    return status === 401 ? pinned !== undefined : status === 429 && keeper.view()?.state === 'partial';
  }

  async function askForSession(token: string): Promise<TransportAnswer> {
    const call = { row: sessionRow, path: sessionPath, headers: {}, body: undefined, options: {} };
    return withDeadline({ signal: undefined, timeout, target: sessionUrl }, (signal) =>
      attempt(sessionUrl, call, token, signal),
    );
  }

  function readSession(answer: TransportAnswer, token: string): CurrentApiSessionDetail {
    const context = { row: sessionRow, target: sessionUrl, secrets: [token] };
    return readAnswer(answer, context) as CurrentApiSessionDetail;
  }

  async function isAlive(token: string): Promise<boolean> {
    try {
      // What else it answers is learned: after a change of the policy a full session is partial.
      return (await askForSession(token)).status !== 401;
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
    await keeper.begin({ ...readSession(answer, token), token });
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
