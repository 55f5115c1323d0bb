import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { CallOptions } from '../api/call-options.ts';
import type { ClientKeys, KeyType } from '../api/client-keys.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import { clientKeys, privateKeyPem } from '../enrollment/client-keys.ts';
import { createCsr } from '../enrollment/csr.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import type { CertificateIdentity } from './identity-file.ts';
import type { IdentityState } from './mtls.ts';

/**
 * Options of `extendCertificate`.
 *
 * @example
 * const options: ExtendOptions = { newKey: true, keyType: 'rsa' };
 * await edge.extendCertificate(options);
 */
export interface ExtendOptions extends CallOptions {
  /** Whether to make a new key. Default: only when the controller asks for it. */
  readonly newKey?: boolean | undefined;
  /** The type of a new key. Default `ec` (P-256). */
  readonly keyType?: KeyType | undefined;
}

/**
 * Renews the certificate of a signed-in client, and returns the identity that counts from now on.
 *
 * The new certificate is saved before it is confirmed, and the old one stays until then. So a crash between the two
 * steps loses nothing: the next renewal or sign-in goes on with the saved one.
 */
export async function extendCertificate(
  client: ClientCalls,
  state: IdentityState,
  { newKey, keyType, signal, timeout }: ExtendOptions,
): Promise<CertificateIdentity> {
  const options = { signal, timeout };
  const { authenticatorId, isCertKeyRollRequested = false } = await client.currentApiSession.get({}, options);
  if (await finishEarlier(client, { state, authenticatorId, options })) return state.current();
  const isNewKey = newKey ?? isCertKeyRollRequested;
  const current = state.current();
  const keys = await clientKeys(isNewKey ? { keyType } : { key: pkcs8(current.key) });
  const clientCertCsr = await createCsr(commonNameOf(current), keys);
  const issued = await client.currentIdentityAuthenticators.extend(authenticatorId, { clientCertCsr }, options);
  const key = isNewKey ? await newKeyPem(keys) : current.key;
  await state.setPending({ key, cert: issued.clientCert, ca: issued.ca.trimStart() });
  await confirm(client, { state, authenticatorId, options });
  return state.current();
}

interface Renewal {
  readonly state: IdentityState;
  readonly authenticatorId: string;
  readonly options: CallOptions;
}

/** Finishes a renewal that was interrupted. False when there is none, or the controller has dropped it. */
async function finishEarlier(client: ClientCalls, renewal: Renewal): Promise<boolean> {
  const { state, authenticatorId, options } = renewal;
  const pending = state.pending();
  if (pending === null) return false;
  const { fingerprint } = await client.currentIdentityAuthenticators.get(authenticatorId, options);
  if (fingerprint === fingerprintOf(pending)) {
    await state.adoptPending();
    return true;
  }
  try {
    await confirm(client, renewal);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** Without a response nobody knows whether it counts, so the pending certificate stays. */
async function confirm(client: ClientCalls, { state, authenticatorId, options }: Renewal): Promise<void> {
  const pending = state.pending();
  if (pending === null) return;
  try {
    await client.currentIdentityAuthenticators.extendVerify(authenticatorId, { clientCert: pending.cert }, options);
  } catch (error) {
    if (isRefusal(error)) await state.setPending(null);
    throw error;
  }
  await state.adoptPending();
}

function isRefusal(error: unknown): boolean {
  return isEdgeApiError(error, 'INVALID_CLIENT_CERT') || isEdgeApiError(error, 'CAN_NOT_UPDATE_AUTHENTICATOR');
}

/** SHA-1 of the leaf in lower-case hex, as the controller writes it. */
function fingerprintOf({ cert }: CertificateIdentity): string {
  return new X509Certificate(cert).fingerprint.replaceAll(':', '').toLowerCase();
}

function commonNameOf({ cert }: CertificateIdentity): string {
  const name: unknown = new X509Certificate(cert).toLegacyObject().subject.CN;
  return typeof name === 'string' ? name : 'client';
}

/** Other tools write keys in the older forms `EC PRIVATE KEY` and `RSA PRIVATE KEY`. */
function pkcs8(key: string): string {
  return createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function newKeyPem(keys: ClientKeys): Promise<string> {
  const pem = await privateKeyPem(keys);
  if (pem === undefined) throw new TypeError('the new key cannot be exported');
  return pem;
}
