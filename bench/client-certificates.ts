import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
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

const path = '/edge/client/v1/authenticate?method=cert';
const headers = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close';
/** What a connection sends to sign in; the server closes it afterwards. */
export const signInRequest = `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n{}`;

interface Connections {
  readonly url: string;
  readonly device: Device;
  /** How many at once. */
  readonly atOnce: number;
  /** Without it, a connection ends with its handshake. */
  readonly request?: string;
  /** Whether to open another one; asked before each. */
  readonly wantsMore: () => boolean;
}

/** Opens connections with a full handshake each. Resolves to the time of each in milliseconds, rejects on any failure. */
export async function openConnections({ wantsMore, atOnce, ...each }: Connections): Promise<number[]> {
  const times: number[] = [];
  const open = async () => {
    while (wantsMore()) {
      const start = performance.now();
      await openConnection(each);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, open));
  return times;
}

/** The server has verified the handshake when it closes the connection, which may be after the client has. */
function openConnection({ url, device, request }: Pick<Connections, 'url' | 'device' | 'request'>): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const options = { host: hostname, port: Number(port), rejectUnauthorized: false, ...device };
    const socket = connect(options, () => (request ? socket.write(request) : socket.end()));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (!request || answer.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(`the sign-in was answered with ${answer.slice(0, 200)}`));
    });
  });
}
