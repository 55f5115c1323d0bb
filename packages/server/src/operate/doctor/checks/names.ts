import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Settings } from '../../../core/config/schema.ts';
import type { DoctorCheck, DoctorFinding } from '../finding.ts';
import { unusable } from '../finding.ts';

/** Milliseconds. */
const timeout = 5_000;

/** The names at which clients and routers reach the controllers have an address. */
export const names: DoctorCheck = async ({ settings }) => {
  const { address, browserAddress, routersAddresses } = settings;
  const named: (readonly [string, keyof Settings])[] = [
    ...(address === null ? [] : [[address, 'address'] as const]),
    ...(browserAddress === null ? [] : [[browserAddress, 'browserAddress'] as const]),
    ...routersAddresses.map((one) => [one, 'routersAddresses'] as const),
  ];
  const findings = await Promise.all(named.map(([one, setting]) => resolve(hostOf(one), setting)));
  return findings.flat();
};

function hostOf(address: string): string {
  return new URL(`https://${address}`).hostname.replace(/^\[|\]$/g, '');
}

async function resolve(host: string, setting: keyof Settings): Promise<readonly DoctorFinding[]> {
  if (isIP(host) !== 0) return [];
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(Object.assign(new Error(), { code: 'ETIMEOUT' })), timeout);
  try {
    await Promise.race([lookup(host), late.promise]);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fix = 'correct the name, or add it to the DNS that clients, routers and this machine use';
    return [unusable(`The name ${host} has no address on this machine (${code})`, setting, fix)];
  } finally {
    clearTimeout(timer);
  }
}
