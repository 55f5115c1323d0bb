import type { RouterIdentity } from '@edge-controller/router-double';
import { extendedKeyUsage, ip, purposes, subjectAltNames } from '../../support/certificate-extensions.ts';
import type { KeyPair } from '../../support/certificate-writer.ts';
import { newKeys, pemOf, write } from '../../support/certificate-writer.ts';
import { leafExtensions } from '../../support/chain.ts';
import type { TestCa, TestClient } from '../../support/test-ca.ts';
import { createTestCa } from '../../support/test-ca.ts';

const hour = 3_600_000;

/** A CA with the certificates of a controller, of routers and of applications. */
export interface TestNetwork {
  readonly ca: string;
  readonly issuer: TestCa;
  readonly server: { readonly key: string; readonly cert: string };
  router(id: string): RouterIdentity;
  application(name: string): TestClient;
}

export function createNetwork(): TestNetwork {
  const root = createTestCa();
  const issuer = root.intermediate();
  const presented = issuer.certPem;
  const keyPem = ({ privateKey }: KeyPair) => String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const serverCert = (subject: string, keys: KeyPair) => {
    const extensions = [...leafExtensions, extendedKeyUsage(purposes.serverAuth), subjectAltNames([ip('127.0.0.1')])];
    const validity = { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + hour) };
    return pemOf(write({ issuer: issuer.authority, subject, keys, extensions, ...validity })) + presented;
  };
  const serverKeys = newKeys();
  return {
    ca: root.certPem,
    issuer,
    server: { key: keyPem(serverKeys), cert: serverCert('controller', serverKeys) },
    router(id) {
      const keys = newKeys();
      const { cert } = issuer.client(id, { keys });
      return { id, key: keyPem(keys), cert, serverCert: serverCert(id, keys), ca: root.certPem, controllers: [] };
    },
    application: (name) => issuer.client(name),
  };
}
