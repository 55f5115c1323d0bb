import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import type { Settings } from './config/schema.ts';
import type { Clock } from './lib/clock.ts';
import { hostOf } from './lib/local-host.ts';
import type { LivePki, Pki } from './pki/pki.ts';
import { openPki } from './pki/pki.ts';
import type { ServerKey } from './pki/server-jwt.ts';
import { testClientCertificates } from './tls-self-test.ts';

/**
 * Opens the PKI in the data directory. For a controller that serves, it checks with its keys that this Node shows the
 * certificates of clients.
 *
 * @throws StartError with all problems
 */
export async function openControllerPki(
  { serves, ...settings }: Settings & { readonly serves: boolean },
  clock: Clock,
): Promise<LivePki> {
  const { dataDir, address, pkiKeyType, trustDomain, browserAddress, browserCertificate } = settings;
  const host = address && hostOf(new URL(`https://${address}`));
  const ofBrowsers =
    browserAddress === null || browserCertificate !== null ? [] : [hostOf(new URL(`https://${browserAddress}`))];
  const names = [...settings.names, ...ofBrowsers];
  const pki = await openPki({ dir: join(dataDir, 'pki'), names, clock, keyType: pkiKeyType, host, trustDomain });
  const { serverKeyPem, serverPath } = pki.current;
  if (serves) await testClientCertificates({ key: serverKeyPem, chain: serverPath });
  return pki;
}

/** Returns the key of the server certificate that is current. It is parsed once. */
export function serverKeyOf(pki: Pick<LivePki, 'current'>): () => ServerKey {
  let parsed: { readonly of: Pki; readonly key: ServerKey } | null = null;
  return () => {
    const { current } = pki;
    if (parsed?.of !== current) {
      const key = { key: createPrivateKey(current.serverKeyPem), kid: current.serverKid };
      parsed = { of: current, key };
    }
    return parsed.key;
  };
}
