import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { certificatesOf } from '../packages/server/src/pki/pem.ts';
import { pemOf } from '../packages/server/test/support/certificate-writer.ts';
import { createTestCa } from '../packages/server/test/support/test-ca.ts';
import { call, signIn } from './call.ts';

/** A device of the network, as its TLS connections present it. In PEM. */
export interface Device {
  readonly key: string;
  readonly cert: string;
}

/** Creates an identity and enrolls a certificate for it, with a P-256 key. `directory` gets the key and the request. */
export async function enrollDevice(url: string, directory: string): Promise<Device> {
  mkdirSync(directory, { recursive: true });
  const [key, csr] = [join(directory, 'device.key'), join(directory, 'device.csr')];
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  execFileSync('openssl', ['req', '-new', '-batch', '-subj', '/CN=a device', ...keyOptions, '-out', csr], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const token = await signIn(url);
  const identities = `${url}/edge/management/v1/identities`;
  const body = JSON.stringify({ name: 'a device', type: 'Device', isAdmin: false, enrollment: { ott: true } });
  const { id } = JSON.parse((await call(identities, { token, body })).text).data;
  const { enrollment } = JSON.parse((await call(`${identities}/${id}`, { token })).text).data;
  const redeem = JSON.stringify({ token: enrollment.ott.token, clientCsr: readFileSync(csr, 'utf8') });
  const { text } = await call(`${url}/edge/client/v1/enroll/ott`, { body: redeem });
  return { key: readFileSync(key, 'utf8'), cert: JSON.parse(text).data.cert };
}

const byCommonName = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/**
 * Registers a CA, and an identity that is disabled: its certificate is verified, and then the sign-in is refused. It presents so
 * many certificates, the issuers from the root down.
 */
export async function addDisabledDevice(url: string, certificates: number): Promise<Device> {
  const management = `${url}/edge/management/v1`;
  const token = await signIn(url);
  const send = async (path: string, body: object) => {
    const { text } = await call(management + path, { token, body: JSON.stringify(body) });
    return JSON.parse(text).data;
  };
  const root = createTestCa();
  const enabled = { isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false, isAuthEnabled: true };
  const body = { name: 'a CA', certPem: root.certPem, identityRoles: [], externalIdClaim: byCommonName, ...enabled };
  const { id } = await send('/cas', body);
  const { verificationToken } = JSON.parse((await call(`${management}/cas/${id}`, { token })).text).data;
  const proof = { body: root.client(verificationToken).leafPem, contentType: 'text/plain' };
  await call(`${management}/cas/${id}/verify`, { token, ...proof });

  const name = 'a disabled device';
  const identity = await send('/identities', { name, type: 'Device', isAdmin: false, externalId: name });
  await send(`/identities/${identity.id}/disable`, { durationMinutes: 0 });
  let ca = root;
  for (let below = 1; below < certificates; below += 1) ca = ca.intermediate();
  const { key, cert } = ca.client(name);
  const [leaf, ...issuers] = certificatesOf(cert).map((der) => pemOf({ der }));
  return { key, cert: [leaf, ...issuers.toReversed()].join('') };
}

export const certificateSignInPath = '/edge/client/v1/authenticate?method=cert';
const headers = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close';
/** What a connection sends to sign in; the server closes it afterwards. */
export const signInRequest = `POST ${certificateSignInPath} HTTP/1.1\r\n${headers}\r\n\r\n{}`;

interface Connections {
  readonly url: string;
  readonly device: Device;
  /** How many at once. */
  readonly atOnce: number;
  /** Without it, a connection ends with its handshake. */
  readonly request?: string;
  /** The status of the response; default 200. */
  readonly status?: number;
  /** Without it, all come from 127.0.0.1, where somebody uses an API session. */
  readonly areStrangers?: boolean;
  /** Whether to open another one; asked before each. */
  readonly wantsMore: () => boolean;
}

/** Opens connections with a full handshake each. Resolves to the time of each in milliseconds, rejects on any failure. */
export async function openConnections({ wantsMore, atOnce, areStrangers, ...each }: Connections): Promise<number[]> {
  const times: number[] = [];
  const open = async (_: unknown, line: number) => {
    const from = areStrangers ? { localAddress: `127.0.1.${line + 1}` } : {};
    while (wantsMore()) {
      const start = performance.now();
      await openConnection({ ...each, ...from });
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, open));
  return times;
}

interface Connection extends Pick<Connections, 'url' | 'device' | 'request' | 'status'> {
  readonly localAddress?: string;
}

/** The server has verified the handshake when it closes the connection, which may be after the client has. */
function openConnection({ url, device, request, status = 200, ...from }: Connection): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const options = { host: hostname, port: Number(port), rejectUnauthorized: false, ...device, ...from };
    const socket = connect(options, () => (request ? socket.write(request) : socket.end()));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (!request || answer.startsWith(`HTTP/1.1 ${status}`)) resolve();
      else reject(new Error(`the sign-in was answered with ${answer.slice(0, 200)}`));
    });
  });
}
