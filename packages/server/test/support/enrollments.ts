import { expect } from 'vitest';
import type { TestController } from './controller.ts';

export const identities = '/edge/management/v1/identities';
export const enrollments = '/edge/management/v1/enrollments';
export const password = 'a password of a user';

/** RFC 3339. */
export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

interface Pending {
  readonly id: string;
  readonly identityId: string;
  readonly token: string;
  readonly jwt: string;
  readonly expiresAt: string;
}

/** Creates an identity with an enrollment, and returns the enrollment as the identity shows it. */
export async function pending(
  { wire }: TestController,
  token: string,
  name: string,
  enrollment: object = { updb: name },
): Promise<Pending> {
  const body = { name, type: 'User', isAdmin: false, enrollment };
  const created = await wire('POST', identities, { token, body });
  expect(created.status, created.text).toBe(201);
  const identityId: string = created.body.data.id;
  const { data } = (await wire('GET', `${identities}/${identityId}`, { token })).body;
  const [shown] = Object.values<Omit<Pending, 'identityId'>>(data.enrollment);
  if (!shown) throw new Error('the identity has no enrollment');
  return { identityId, ...shown };
}

/** Redeems an enrollment of method `updb`. */
export const redeem = ({ wire }: TestController, token: string) =>
  wire('POST', `/edge/client/v1/enroll?method=updb&token=${token}`, { body: { password } });
