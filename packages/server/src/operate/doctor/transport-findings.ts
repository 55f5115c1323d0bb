import { plainTransports } from '../../core/config/plain-transports.ts';
import type { Settings } from '../../core/config/schema.ts';
import { isPlainHttp } from '../../core/text/local-host.ts';
import type { JwksEndpoint } from '../../storage/entity-store/entity-probe.ts';
import type { DoctorFinding } from './finding.ts';
import { warning } from './finding.ts';

/** Connections of the settings to other machines, which somebody in between can read and change. */
export function settingsTransportFindings(settings: Settings): readonly DoctorFinding[] {
  return plainTransports(settings).map(({ message, setting, fix }) => warning(message, setting, fix));
}

/** Keys of external JWT signers that somebody between the controller and the signer can replace. */
export function signersTransportFindings(endpoints: readonly JwksEndpoint[]): readonly DoctorFinding[] {
  return endpoints.flatMap(({ signerId, url }) => {
    if (!isPlainHttp(url)) return [];
    const message = `The keys of the external JWT signer ${signerId} come from ${new URL(url).host} without TLS`;
    return [warning(message, null, 'give the signer a jwksEndpoint that begins with https://')];
  });
}
