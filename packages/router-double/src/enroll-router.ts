import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { compactVerify, decodeJwt } from 'jose';
import { createRouterCsr } from './router-csr.ts';
import type { RouterIdentity } from './router-identity.ts';

/** The enrollment of an edge router. */
export interface RouterEnrollment {
  /** The member `enrollmentJwt` of the router. */
  readonly jwt: string;
  /** DNS names and IP addresses of the listeners. Default: `localhost` and `127.0.0.1`. */
  readonly names?: readonly string[];
}

/**
 * Enrolls a router, as its command line does. It makes a P-256 key, and gets two certificates for it. The JWT must be signed with the
 * key of the TLS certificate that the controller shows; there is no other trust.
 *
 * @throws Error when the JWT is of another controller, or the controller refuses it
 * @example
 * const identity = await enrollRouter({ jwt, names: ['127.0.0.1'] });
 */
export async function enrollRouter({
  jwt,
  names = ['localhost', '127.0.0.1'],
}: RouterEnrollment): Promise<RouterIdentity> {
  const { iss = '', sub: id = '', jti = '', ctrls, em } = decodeJwt(jwt);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const csr = await createRouterCsr({ id, keyPem: key, names });
  const socket = await connectTo(new URL(iss), jwt);
  try {
    const path = `/enroll?${new URLSearchParams({ method: String(em), token: jti })}`;
    const { cert, serverCert, ca } = await post(socket, `${iss}${path}`, { certCsr: csr, serverCertCsr: csr });
    return { id, key, cert, serverCert, ca, controllers: Array.isArray(ctrls) ? ctrls.map(String) : [] };
  } finally {
    socket.destroy();
  }
}

/** Trusts the certificate that the JWT was signed with. */
async function connectTo({ hostname, port }: URL, jwt: string): Promise<TLSSocket> {
  const servername = isIP(hostname) === 0 ? hostname : '';
  const socket = connect({ host: hostname, port: Number(port || 443), servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  try {
    await compactVerify(jwt, new X509Certificate(socket.getPeerCertificate().raw).publicKey);
  } catch (cause) {
    socket.destroy();
    throw new Error('the JWT is not signed with the key of this controller', { cause });
  }
  return socket;
}

interface Enrolled {
  readonly cert: string;
  readonly serverCert: string;
  readonly ca: string;
}

async function post(socket: TLSSocket, url: string, body: object): Promise<Enrolled> {
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    createConnection: () => socket,
  });
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const answer = (await json(response)) as { readonly data?: Enrolled; readonly error?: { readonly code: string } };
  if (response.statusCode !== 200 || !answer.data) {
    throw new Error(`the controller refused the enrollment: ${response.statusCode} ${answer.error?.code}`);
  }
  return answer.data;
}
