import 'reflect-metadata';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { digitalSignature, extendedKeyUsage, keyUsage, purposes } from './certificate-extensions.ts';
import type { Authority, Template } from './certificate-writer.ts';
import { pemOf, write } from './certificate-writer.ts';
import type { TestController } from './controller.ts';
import type { WireAnswer } from './request.ts';
import { wireOf } from './request.ts';
import { sql } from './sql.ts';
import type { TestClient } from './test-ca.ts';
import { clientOf } from './test-ca.ts';

export interface Network {
  /** PEM of the own root and of the own intermediate. */
  readonly rootPem: string;
  readonly intermediatePem: string;
  readonly root: Authority;
  readonly intermediate: Authority;
}

export function networkOf({ options }: Pick<TestController, 'options'>): Network {
  const read = (name: string) => readFileSync(join(options.dataDir ?? '', 'pki', name), 'utf8');
  const intermediatePem = read('intermediate.pem');
  const rootPem = read('ca.pem');
  return {
    rootPem,
    intermediatePem,
    root: authorityOf(rootPem, read('root.key')),
    intermediate: authorityOf(intermediatePem, read('intermediate.key')),
  };
}

function authorityOf(certPem: string, keyPem: string): Authority {
  const certificate = new x509.X509Certificate(certPem);
  const privateKey = createPrivateKey(keyPem);
  return {
    der: Buffer.from(certificate.rawData),
    keys: { privateKey, publicKey: createPublicKey(privateKey) },
    subject: Buffer.from(certificate.subjectName.toArrayBuffer()),
  };
}

/** A certificate of the network, valid now unless `changes` say otherwise. It is presented with the intermediate. */
export function networkClient(
  { intermediate, intermediatePem }: Network,
  commonName: string,
  changes: Partial<Omit<Template, 'subject'>> = {},
): TestClient {
  const { der, keys } = write({
    issuer: intermediate,
    subject: commonName,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    extensions: [keyUsage(digitalSignature), extendedKeyUsage(purposes.clientAuth)],
    ...changes,
  });
  return clientOf(keys, [pemOf({ der }), intermediatePem]);
}

let users = 0;

/** Creates an identity; `members` are those of the request. */
export async function addIdentity(
  { wire }: TestController,
  token: string,
  members: Record<string, unknown> = {},
): Promise<string> {
  users += 1;
  const body = { name: `device ${users} ${Math.random()}`, type: 'Device', isAdmin: false, ...members };
  const created = await wire('POST', '/edge/management/v1/identities', { token, body });
  if (created.status !== 201) throw new Error(created.text);
  return created.body.data.id;
}

interface Enrolled {
  readonly identityId: string;
  readonly client: TestClient;
  readonly isIssuedByNetwork?: boolean;
}

/**
 * Gives an identity the authenticator of a certificate and returns its id. Not through the front door: that refuses a
 * certificate which cannot sign in.
 */
async function addCertificate(
  server: TestController,
  { identityId, client, isIssuedByNetwork = true }: Enrolled,
): Promise<string> {
  const id = `cert-${client.fingerprint.slice(0, 12)}`;
  const date = new Date().toISOString();
  await sql(
    server,
    `insert into "authenticators" ("id", "createdAt", "updatedAt", "tags", "method", "identityId", "certPem",
      "fingerprint", "publicKeyPrint", "isIssuedByNetwork")
      values ('${id}', '${date}', '${date}', '{}', 'cert', '${identityId}', '${client.leafPem}',
      '${client.fingerprint}', '', ${Number(isIssuedByNetwork)})`,
  );
  await sql(
    server,
    `insert into "credentials" ("identityId", "authenticatorId", "version") values ('${identityId}', '${id}', 0)`,
  );
  return id;
}

/** A new identity with the certificate of a client. */
export async function addDevice(
  server: TestController,
  token: string,
  {
    client,
    members,
    isIssuedByNetwork = true,
  }: { client: TestClient; members?: Record<string, unknown>; isIssuedByNetwork?: boolean },
) {
  const identityId = await addIdentity(server, token, members);
  return {
    identityId,
    authenticatorId: await addCertificate(server, { identityId, client, isIssuedByNetwork }),
    client,
  };
}

export const certificateSignIn = '/edge/client/v1/authenticate?method=cert';

/** Signs in with what a client presents on a connection of its own. */
export function signInWith(
  server: Pick<TestController, 'url' | 'caFile'>,
  client: Pick<TestClient, 'key' | 'cert'>,
): Promise<WireAnswer> {
  return wireOf(server, client)('POST', certificateSignIn, { body: {}, headers: { connection: 'close' } });
}
