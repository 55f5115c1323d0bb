import { fetchCaBundle } from './ca-bundle.ts';
import type { ClientCore } from './client-core.ts';
import { clientKeys, privateKeyPem } from './client-keys.ts';
import { createCsr } from './csr.ts';
import type { EnrolledIdentity, Enrollment, EnrollOptions } from './enroll.ts';
import { enrollmentError, enrollmentRefusal } from './enrollment-error.ts';
import type { EnrollmentMethod } from './enrollment-jwt.ts';
import { readEnrollmentJwt } from './enrollment-jwt.ts';
import type { GenericEnroll } from './generated/entities.ts';
import type { CallOptions } from './options.ts';
import { withDeadline } from './shared.ts';

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
  core: ClientCore,
  enrollment: Enrollment,
  { password, username, key, keyType, name, signal, timeout }: EnrollOptions,
): Promise<EnrolledIdentity> {
  const options = { signal, timeout };
  const presented = present(core, enrollment, password);
  const { method, subject } = presented;
  const enrolled = () => ({
    url: currentBase(core),
    method,
    ...(subject !== null && method !== 'ca' && { id: subject }),
  });
  if (method === 'updb') {
    if (password === undefined) throw new TypeError('an enrollment of method "updb" needs a password');
    await findController(core, options);
    const result = await redeem(core, presented, { password, ...(username !== undefined && { username }) }, options);
    return { ...enrolled(), ...(result.username !== undefined && { username: result.username }) };
  }
  if (password !== undefined) throw new TypeError(`an enrollment of method "${method}" takes no password`);
  await findController(core, options);
  const url = currentBase(core);
  // Before the token is used, because afterwards a failure would lose the certificate.
  const ca = await withDeadline({ signal, timeout: timeout ?? core.timeout, target: url }, (limited) =>
    fetchCaBundle(url, core.fetch, limited),
  );
  if (method !== 'ott') {
    await redeem(core, presented, name === undefined ? {} : { name }, options);
    return { ...enrolled(), ca };
  }
  const keys = await clientKeys({ key, keyType });
  const keyPem = await privateKeyPem(keys);
  const { cert } = await redeem(core, presented, { clientCsr: await createCsr(subject ?? 'client', keys) }, options);
  return { ...enrolled(), ca, ...(keyPem !== undefined && { key: keyPem }), ...(cert !== undefined && { cert }) };
}

/** A POST is not sent to another controller when a response is missing, so a read finds the one that responds. */
async function findController({ controllers, client }: ClientCore, options: CallOptions): Promise<void> {
  if (controllers.length > 1) await client.version.get(options);
}

/** The controller that is asked now: the one that worked last. */
function currentBase({ controllers, sender }: ClientCore): string {
  const target = sender.target('client', '');
  return (controllers.find(({ apis }) => apis.client === target) ?? controllers[0]).base;
}

function present({ controllers, clock }: ClientCore, enrollment: Enrollment, password?: string): PresentedEnrollment {
  const given = typeof enrollment === 'string' ? tokenOrJwt(enrollment) : enrollment;
  if ('token' in given) {
    const method = given.method ?? (password === undefined ? 'ott' : 'updb');
    return { token: given.token, method, subject: null, isOfOther: false };
  }
  const { method, token, subject, issuer, expiresAt } = readEnrollmentJwt(given.jwt);
  if (expiresAt !== null && expiresAt <= clock()) throw enrollmentError('EXPIRED');
  return { token, method, subject, isOfOther: !controllers.some(({ origin }) => isAt(origin, issuer)) };
}

async function redeem(
  { client }: ClientCore,
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
  return text.includes('.') ? { jwt: text } : { token: text.trim() };
}

function isAt(origin: string, issuer: string): boolean {
  return URL.canParse(issuer) && new URL(issuer).origin === origin;
}
