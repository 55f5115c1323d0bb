import type { Settings } from '../../../core/config/schema.ts';
import { hostOf } from '../../../core/text/local-host.ts';
import type { BrowserKeys } from '../../../pki/browser-keys.ts';
import { readBrowserKeys, renewalWindow } from '../../../pki/browser-keys.ts';
import { isFor } from '../../../pki/check-server.ts';
import type { DoctorCheck, DoctorFinding } from '../finding.ts';
import { problemsOf, warning, wrong } from '../finding.ts';

const day = 86_400_000;

/** The listener for browsers has a certificate that browsers accept. */
export const browsers: DoctorCheck = async ({ settings, clock }) => {
  if (settings.browserBind === null) return unused(settings);
  const elsewhere = /^(0\.0\.0\.0|\[::\]):/.test(settings.browserBind) ? unnamed(settings) : [];
  try {
    const keys = await readBrowserKeys(settings);
    return [...elsewhere, ...(keys === null ? [] : certificateFindings(keys, settings, clock()))];
  } catch (error) {
    return [...elsewhere, ...problemsOf(error)];
  }
};

function unused({ browserAddress, browserCertificate, browserKey }: Settings): readonly DoctorFinding[] {
  if (browserAddress === null && browserCertificate === null && browserKey === null) return [];
  const message = 'There are settings of a listener for browsers, but no listener';
  return [warning(message, 'browserBind', 'set EDGE_BROWSER_BIND, or remove the others')];
}

function unnamed({ address, browserAddress }: Settings): readonly DoctorFinding[] {
  if (address !== null || browserAddress !== null) return [];
  const message = 'The listener for browsers listens on all addresses, but its links lead to localhost';
  const fix = 'set EDGE_BROWSER_ADDRESS to the host and port at which browsers reach it';
  return [warning(message, 'browserAddress', fix)];
}

function certificateFindings(
  { certificate }: BrowserKeys,
  { address, browserAddress, browserCertificate: file }: Settings,
  now: number,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const host = hostOf(new URL(`https://${browserAddress ?? address ?? 'localhost'}`));
  if (!isFor(certificate, host)) {
    const fix = `set EDGE_BROWSER_ADDRESS to a name of the certificate, or use a certificate for ${host}`;
    findings.push(warning(`${file} is not valid for ${host}, where browsers look for it`, 'browserCertificate', fix));
  }
  const left = certificate.validToDate.getTime() - now;
  const fix = 'renew the certificate: the controller reads the files again within an hour, and on SIGHUP';
  if (left <= 0) findings.push(wrong(`${file} has expired: browsers refuse it`, 'browserCertificate', fix));
  else if (left < renewalWindow) {
    const days = Math.floor(left / day);
    findings.push(warning(`${file} expires in ${days} days`, 'browserCertificate', fix));
  }
  return findings;
}
