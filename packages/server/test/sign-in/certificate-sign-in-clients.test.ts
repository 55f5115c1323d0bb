import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDevice, certificateSignIn, networkClient, networkOf } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { addVerifiedCa } from '../support/registered-cas.ts';
import type { TestClient } from '../support/test-ca.ts';
import { createTestCa } from '../support/test-ca.ts';

const run = promisify(execFile);
const request = [
  `POST ${certificateSignIn} HTTP/1.1`,
  'Host: localhost',
  'Content-Type: application/json',
  'Content-Length: 2',
  'Connection: close',
  '',
  '{}',
].join('\r\n');

interface Device {
  readonly identityId: string;
  readonly client: TestClient;
}

describe('TLS clients', () => {
  let server: TestController;
  let dir: string;
  let ofNetwork: Device;
  let ofCa: Device;

  beforeAll(async () => {
    server = await startController();
    dir = mkdtempSync(join(tmpdir(), 'edge-clients-'));
    const token = await server.signIn();
    ofNetwork = await addDevice(server, token, { client: networkClient(networkOf(server), 'a device') });
    const ca = createTestCa('a CA');
    await addVerifiedCa(server, token, ca);
    const client = ca.intermediate('above').intermediate('below').client('a device');
    ofCa = await addDevice(server, token, { client, isIssuedByNetwork: false });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const file = (name: string, content: string): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  /** The certificates that the client presents behind its leaf, in the opposite order. */
  const reversed = ({ cert }: TestClient): string => {
    return (cert.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g) ?? []).slice(1).toReversed().join('');
  };

  it.each([
    ['a certificate of the network', () => ofNetwork],
    ['a certificate below two intermediates of a CA, in reversed order', () => ofCa],
  ])('curl signs in with %s', async (_, device) => {
    const { client, identityId } = device();
    const { stdout } = await run('curl', [
      ...['--silent', '--show-error', '--cacert', server.caFile, '-X', 'POST', '--json', '{}'],
      ...['--cert', file('curl.pem', client.leafPem + reversed(client)), '--key', file('curl.key', client.key)],
      server.url + certificateSignIn,
    ]);
    expect(JSON.parse(stdout).data).toMatchObject({ identityId });
  });

  it.each([
    ['1.3', () => ofNetwork],
    ['1.3', () => ofCa],
    ['1.2', () => ofCa],
  ])('openssl signs in with TLS %s and a chain in reversed order', async (version, device) => {
    const { client, identityId } = device();
    const child = spawn('openssl', [
      ...['s_client', '-connect', new URL(server.url).host, '-servername', 'localhost', '-quiet', '-ign_eof'],
      ...[`-tls${version.replace('.', '_')}`, '-verify_return_error', '-CAfile', server.caFile],
      ...['-cert', file('openssl.pem', client.leafPem), '-key', file('openssl.key', client.key)],
      ...['-cert_chain', file('openssl-chain.pem', reversed(client))],
    ]);
    child.stdin.write(request);
    const answer = await text(child.stdout);
    child.stdin.end();
    expect(JSON.parse(answer.slice(answer.indexOf('{'))).data).toMatchObject({ identityId });
  });

  describe.each(['TLSv1.2', 'TLSv1.3'] as const)('with %s', (version) => {
    /** Signs in with the certificate, and again in a connection that offers the TLS session of the first one. */
    async function signInTwice(port: number) {
      const { client } = ofNetwork;
      const options = {
        ...{ host: '127.0.0.1', servername: 'localhost', port, ca: readFileSync(server.caFile) },
        ...{ minVersion: version, maxVersion: version, key: client.key, cert: client.cert },
      };
      const first = connect(options);
      let session: Buffer | undefined;
      first.on('session', (offered) => {
        session = offered;
      });
      expect(await send(first)).toContain('HTTP/1.1 200');
      const second = connect(session ? { ...options, session } : options);
      let isResumed = false;
      second.once('secureConnect', () => {
        isResumed = second.isSessionReused();
      });
      return { answer: await send(second), isResumed };
    }

    it('a TLS session is not resumed', async () => {
      const { answer, isResumed } = await signInTwice(Number(new URL(server.url).port));
      expect(isResumed).toBe(false);
      expect(answer).toContain('HTTP/1.1 200');
    });

    it('a TLS session that a server of an embedder resumes signs nobody in', async () => {
      const embedder = createServer(
        { ...server.controller.tlsOptions, secureOptions: 0 },
        server.controller.callback(),
      );
      await once(embedder.listen(0, '127.0.0.1'), 'listening');
      const { answer, isResumed } = await signInTwice((embedder.address() as AddressInfo).port);
      embedder.close();
      expect(isResumed).toBe(true);
      expect(answer).toContain('HTTP/1.1 401');
      expect(answer).toContain('INVALID_AUTH');
    });
  });
});

async function send(socket: TLSSocket): Promise<string> {
  socket.write(request);
  return text(socket);
}
