import type { X509Certificate } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';
import { TLSSocket } from 'node:tls';
import { caBundlePath, caBundlePem, maxCaBundle } from '../enrollment/ca-bundle.ts';
import { enrollmentError } from '../enrollment/enrollment-error.ts';
import { fromBase64Url, readEnrollmentJwt, readJwtPart } from '../enrollment/enrollment-jwt.ts';
import { withDeadline } from '../errors/deadline.ts';
import { EdgeInvalidResponseError } from '../errors/errors.ts';
import { networkError } from '../errors/tls-error.ts';
import type { Clock } from '../lib/clock.ts';
import { controllerUrl } from '../requests/controller-url.ts';
import { createHttpsAgent } from './https-agent.ts';

/** How a signature is verified, by the `alg` of the JWT (RFC 7518, section 3.1). */
const algorithms: Readonly<Record<string, { name: string; hash: string; namedCurve?: string }>> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', hash: 'SHA-384', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', hash: 'SHA-512', namedCurve: 'P-521' },
};
/** Milliseconds. The clocks of client and controller may differ so much. */
const clockTolerance = 30_000;

interface TrustOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
}

/**
 * Returns the CA certificates of the controller that has issued an enrollment JWT, in PEM. It verifies the JWT with the
 * certificate that the TLS connection to `iss` shows, and reads the CA certificates over this same connection: the JWT
 * proves that its other end is the controller. Nothing secret is sent.
 *
 * @throws EdgeEnrollmentError `OTHER_CONTROLLER`, `EXPIRED`, `CLOCK_SKEW`; EdgeNetworkError, EdgeTlsError,
 *   EdgeTimeoutError, EdgeInvalidResponseError
 */
export async function trustController(jwt: string, issuer: string, options: TrustOptions): Promise<string> {
  const { origin, base } = controllerUrl(issuer);
  const url = base + caBundlePath;
  return withDeadline({ signal: options.signal, timeout: options.timeout, target: origin }, async (signal) => {
    // The connection is not trusted yet: any certificate is accepted.
    const request = https.request(url, { agent: createHttpsAgent({ rejectUnauthorized: false }), signal });
    try {
      const certificate = await certificateOf(request, origin);
      if (certificate === undefined || !(await isSignedWith(jwt, certificate))) {
        throw enrollmentError('OTHER_CONTROLLER');
      }
      const { status, date, body } = await responseTo(request, url);
      checkExpiry(jwt, options.clock(), date);
      const pem = status === 200 ? caBundlePem(body) : null;
      if (pem === null) throw new EdgeInvalidResponseError(url, status);
      return pem;
    } finally {
      request.destroy();
    }
  });
}

/** Waits for the TLS connection of a request. The request itself is not sent yet. */
function certificateOf(request: ClientRequest, origin: string): Promise<X509Certificate | undefined> {
  return new Promise((resolve, reject) => {
    request.on('error', (error) => reject(networkError(origin, error)));
    request.once('socket', (socket) => {
      const show = () => resolve(socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined);
      // A connection through a proxy comes when its handshake is complete.
      if (socket.connecting) socket.once('secureConnect', show);
      else show();
    });
  });
}

async function isSignedWith(jwt: string, certificate: X509Certificate): Promise<boolean> {
  // `kid` is not compared: it is of the certificate at the time of the JWT, which may have been renewed for the same key.
  const { alg } = readJwtPart(jwt, 0);
  const algorithm = typeof alg === 'string' ? algorithms[alg] : undefined;
  if (algorithm === undefined) return false;
  const [header, claims, signature = ''] = jwt.trim().split('.');
  try {
    const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
    const key = await crypto.subtle.importKey('spki', new Uint8Array(spki), algorithm, false, ['verify']);
    const signed = new TextEncoder().encode(`${header}.${claims}`);
    return await crypto.subtle.verify(algorithm, key, fromBase64Url(signature), signed);
  } catch {
    // The key has another type than the signature.
    return false;
  }
}

function checkExpiry(jwt: string, now: number, date: number): void {
  const { expiresAt } = readEnrollmentJwt(jwt);
  if (expiresAt === null || expiresAt > now) return;
  const isValidThere = expiresAt > date && now - date > clockTolerance;
  throw enrollmentError(isValidThere ? 'CLOCK_SKEW' : 'EXPIRED');
}

/** Sends the request. `date`: the clock of the other side in milliseconds since 1970, `NaN` when it is missing. */
async function responseTo(
  request: ClientRequest,
  url: string,
): Promise<{ status: number; date: number; body: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', (error) => reject(networkError(url, error)));
    request.end();
  });
  response.setEncoding('latin1');
  let body = '';
  try {
    for await (const part of response) {
      body += part;
      if (body.length > maxCaBundle) break;
    }
  } catch (error) {
    throw networkError(url, error);
  }
  return { status: response.statusCode ?? 0, date: Date.parse(response.headers.date ?? ''), body };
}
