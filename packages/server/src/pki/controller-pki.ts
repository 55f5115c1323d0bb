import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import type { Settings } from '../core/config/schema.ts';
import { hostOf } from '../core/text/local-host.ts';
import type { Clock } from '../core/time/clock.ts';
import type { LivePki, Pki } from './pki.ts';
import { openPki } from './pki.ts';
import type { ServerKey } from './server-jwt.ts';

/**
 * Opens the PKI in the data directory.
 *
 * @throws StartError with all problems
 */
export function openControllerPki(settings: Settings, clock: Clock): Promise<LivePki> {
  const { dataDir, address, pkiKeyType: keyType, trustDomain, browserAddress, browserCertificate } = settings;
  const host = address && hostOf(new URL(`https://${address}`));
  const ofBrowsers =
    browserAddress === null || browserCertificate !== null ? [] : [hostOf(new URL(`https://${browserAddress}`))];
  const names = [...settings.names, ...ofBrowsers];
  return openPki({ dir: join(dataDir, 'pki'), names, clock, keyType, host, trustDomain });
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
