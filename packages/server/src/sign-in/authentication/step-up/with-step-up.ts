import { ApiError } from '../../../core/api-error.ts';
import { readRights } from '../../../credentials/rights/higher-identities.ts';
import { isProvenLately, needsStepUp } from '../../../credentials/rights/needs-step-up.ts';
import { noRights } from '../../../credentials/rights/rights.ts';
import { firstCertificateOf } from '../../../pki/pem.ts';
import type { SessionCall } from '../dependencies.ts';
import { acts } from './acts.ts';
import type { ActInput, Concern } from './concern.ts';

type Handler = (call: SessionCall, input: ActInput) => Promise<unknown>;
type Resources = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The handlers of an API, in which the acts that can take over an account ask an older session to prove again who it is: with
 * a code, with a new sign-in, or with the certificate of its connection. So a stolen session is not a stolen account.
 */
export function withStepUp<H extends object>(handlers: H): H {
  const guarded = Object.entries(handlers as Resources).map(([resource, operations]) => [
    resource,
    Object.fromEntries(
      Object.entries(operations).map(([verb, handler]) => [verb, guard(`${resource}.${verb}`, handler as Handler)]),
    ),
  ]);
  return Object.fromEntries(guarded) as H;
}

function guard(operation: string, handler: Handler): Handler {
  const act = acts[operation];
  if (!act) return handler;
  return async (call, input) => {
    if (!isProvenLately(call)) await requireStepUp(call, operation, await act(call, input));
    return await handler(call, input);
  };
}

/** @throws 401 `STEP_UP_REQUIRED` with the proofs that the session can give */
async function requireStepUp(call: SessionCall, operation: string, concern: Concern): Promise<void> {
  if (!(await isAsked(call, concern)) || (await hasPresentCertificate(call))) return;
  const { principal, stored } = call.session;
  await call.audit.publish(call, 'stepUp.refused', { identityId: principal.id, apiSessionId: stored.id, operation });
  const hasTotp = principal.mfaId !== null;
  const message = hasTotp ? 'send a code to ./authenticate/mfa, or sign in again' : 'sign in again';
  const proofs = hasTotp ? ['code', 'signIn'] : ['signIn'];
  throw new ApiError('STEP_UP_REQUIRED', { cause: { code: 'UNHANDLED', message, data: { proofs } } });
}

async function isAsked(call: SessionCall, { owner = null, isAdministration = false }: Concern): Promise<boolean> {
  if (isAdministration && call.settings.stepUpAdministration) return true;
  if (owner === null) return false;
  const rights = call.settings.stepUpAdministration ? await readRights(call.database, [owner]) : null;
  return needsStepUp(call, { id: owner, ...(rights?.get(owner) ?? noRights) });
}

/**
 * Whether the connection has the certificate that the session signed in with. Who has only the token does not have its key. With
 * a TOTP, the certificate is one of two factors.
 */
async function hasPresentCertificate({ credentials, database, session }: SessionCall): Promise<boolean> {
  const [leaf] = credentials.certificates;
  const { principal, stored } = session;
  if (!leaf || stored.method !== 'cert' || principal.mfaId !== null) return false;
  const { db } = database;
  const id = stored.authenticatorId;
  const row = await db.selectFrom('authenticators').select('certPem').where('id', '=', id).executeTakeFirst();
  return Boolean(row?.certPem) && firstCertificateOf(row?.certPem ?? '').equals(leaf);
}
