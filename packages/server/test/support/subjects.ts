import { expect } from 'vitest';
import type { TestController } from './controller.ts';
import { inAnHour } from './enrollments.ts';

const api = '/edge/management/v1';
const password = 'A password of a subject!';
let made = 0;

/** An identity that can sign in, with one of each thing that belongs to an identity. */
export interface Subject {
  readonly username: string;
  readonly password: string;
  /** Of a live API session. */
  readonly token: string;
  /** By the name of the resource: its id, and the ids of what belongs to it. */
  readonly ids: Readonly<Record<string, string>>;
  /** What would let somebody become it: the token of its session, the token and the JWT of its enrollment. */
  readonly secrets: readonly string[];
}

interface SubjectOptions {
  readonly isAdmin?: boolean;
  readonly permissions?: readonly string[];
  readonly authPolicyId?: string;
}

/** Makes an identity with a password, an API session and a pending enrollment. */
export async function addSubject(
  { wire }: TestController,
  admin: string,
  { isAdmin = false, permissions = [], authPolicyId = 'default' }: SubjectOptions = {},
): Promise<Subject> {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await wire(method, path, { token: admin, ...(body && { body }) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer.body.data;
  };
  made += 1;
  const username = `subject-${made}`;
  const rights = { isAdmin, permissions, authPolicyId };
  const { id } = await send('POST', `${api}/identities`, { name: username, type: 'User', ...rights });
  const { id: authenticatorId } = await send('POST', `${api}/authenticators`, {
    ...{ method: 'updb', identityId: id, username, password },
  });
  const enrollment = { method: 'ott', identityId: id, expiresAt: inAnHour() };
  const { id: enrollmentId } = await send('POST', `${api}/enrollments`, enrollment);
  const pending = await send('GET', `${api}/enrollments/${enrollmentId}`);
  const session = await send('POST', `${api}/authenticate?method=password`, { username, password });
  return {
    ...{ username, password, token: session.token },
    ids: { identities: id, authenticators: authenticatorId, enrollments: enrollmentId, apiSessions: session.id },
    secrets: [session.token, pending.token, pending.jwt],
  };
}
