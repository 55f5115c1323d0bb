import type { CallOptions } from '../api/call-options.ts';
import type { EnrolledIdentity, Enrollment, EnrollOptions } from '../api/enroll.ts';
import type { EnrollmentMethod } from '../api/enrollment-method.ts';
import type { Fetch } from '../api/fetch.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import type { GenericEnroll } from '../api/generated/entities.ts';
import { withDeadline } from '../errors/deadline.ts';
import type { Clock } from '../lib/clock.ts';
import type { ControllerUrl } from '../requests/controller-url.ts';
import { fetchCaBundle } from './ca-bundle.ts';
import { clientKeys, privateKeyPem } from './client-keys.ts';
import { createCsr } from './csr.ts';
import { enrollmentError, enrollmentRefusal } from './enrollment-error.ts';
import { readEnrollmentJwt } from './enrollment-jwt.ts';

interface EnrollParts {
  readonly controllers: readonly [ControllerUrl, ...ControllerUrl[]];
  readonly client: Pick<ClientCalls, 'version' | 'enroll'>;
  readonly sender: { target(api: 'client', path: string): string };
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Milliseconds for one call. */
  readonly timeout: number;
}

/** An enrollment with what its JWT tells. */
interface PresentedEnrollment {
  readonly token: string;
  readonly method: EnrollmentMethod;
  readonly subject: string | null;
  /** Whether the JWT names none of the controllers. A proxy may change the address, so this is no error by itself. */
  readonly isOfOther: boolean;
}

/** Redeems an enrollment: see `Enroll`. */
export async function redeemEnrollment(
  parts: EnrollParts,
  enrollment: Enrollment,
  { password, username, key, keyType, name, signal, timeout }: EnrollOptions,
): Promise<EnrolledIdentity> {
  const options = { signal, timeout };
  const presented = present(parts, enrollment, password);
  const { method, subject } = presented;
  const enrolled = () => ({
    url: currentBase(parts),
    method,
    ...(subject !== null && method !== 'ca' && { id: subject }),
  });
  if (method === 'updb') {
    if (password === undefined) throw new TypeError('an enrollment of method "updb" needs a password');
    await findController(parts, options);
    const result = await redeem(parts, presented, { password, ...(username !== undefined && { username }) }, options);
    return { ...enrolled(), ...(result.username !== undefined && { username: result.username }) };
  }
  if (password !== undefined) throw new TypeError(`an enrollment of method "${method}" takes no password`);
  await findController(parts, options);
  const url = currentBase(parts);
  // Before the token is used, because afterwards a failure would lose the certificate.
  const ca = await withDeadline({ signal, timeout: timeout ?? parts.timeout, target: url }, (limited) =>
    fetchCaBundle(url, parts.fetch, limited),
  );
  if (method !== 'ott') {
    await redeem(parts, presented, name === undefined ? {} : { name }, options);
    return { ...enrolled(), ca };
  }
  const keys = await clientKeys({ key, keyType });
  const keyPem = await privateKeyPem(keys);
  const { cert } = await redeem(parts, presented, { clientCsr: await createCsr(subject ?? 'client', keys) }, options);
  return { ...enrolled(), ca, ...(keyPem !== undefined && { key: keyPem }), ...(cert !== undefined && { cert }) };
}

/** A POST is not sent to another controller when a response is missing, so a read finds the one that responds. */
async function findController({ controllers, client }: EnrollParts, options: CallOptions): Promise<void> {
  if (controllers.length > 1) await client.version.get(options);
}

/** The controller that is asked now: the one that worked last. */
function currentBase({ controllers, sender }: EnrollParts): string {
  const target = sender.target('client', '');
  return (controllers.find(({ apis }) => apis.client === target) ?? controllers[0]).base;
}

function present({ controllers, clock }: EnrollParts, enrollment: Enrollment, password?: string): PresentedEnrollment {
  const given = typeof enrollment === 'string' ? tokenOrJwt(enrollment) : enrollment;
  if ('token' in given) {
    const method = given.method ?? (password === undefined ? 'ott' : 'updb');
    return { token: given.token.trim(), method, subject: null, isOfOther: false };
  }
  const { method, token, subject, issuer, expiresAt } = readEnrollmentJwt(given.jwt);
  if (expiresAt !== null && expiresAt <= clock()) throw enrollmentError('EXPIRED');
  return { token, method, subject, isOfOther: !controllers.some(({ origin }) => isAt(origin, issuer)) };
}

async function redeem(
  { client }: EnrollParts,
  { method, token, isOfOther }: PresentedEnrollment,
  body: GenericEnroll,
  options: CallOptions,
) {
  try {
    return await client.enroll.enroll(method === 'ca' ? { method } : { method, token }, body, options);
  } catch (error) {
    throw enrollmentRefusal(error, { isOfOther });
  }
}

function tokenOrJwt(text: string): { jwt: string } | { token: string; method?: EnrollmentMethod } {
  return text.includes('.') ? { jwt: text } : { token: text };
}

function isAt(origin: string, issuer: string): boolean {
  return URL.canParse(issuer) && new URL(issuer).origin === origin;
}
