import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-problem.ts';
import { addressProblem } from './address-problem.ts';
import { FetchFailed } from './fetch-failed.ts';

/** Returns all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveWithSystem: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Returns a lookup for connections. It gives only addresses that the policy allows, so the address that was checked is
 * the one that is dialed, and fails when there is none. Lookups wait for each other: each needs a thread of the process
 * until its name server responds, also when the caller has given up.
 */
export function createCheckedLookup(policy: AddressPolicy, resolve = resolveWithSystem): LookupFunction {
  let last: Promise<unknown> = Promise.resolve();
  return (hostname, options, done) => {
    const found = last.then(() => resolve(hostname));
    last = found.catch(() => undefined);
    found
      .then((addresses) => allowedOf(addresses, policy, hostname))
      .then(
        (allowed) => (options.all ? done(null, allowed) : done(null, allowed[0].address, allowed[0].family)),
        (error) => done(error, ''),
      );
  };
}

function allowedOf(
  addresses: readonly LookupAddress[],
  policy: AddressPolicy,
  hostname: string,
): [LookupAddress, ...LookupAddress[]] {
  const [first, ...others] = addresses.filter(({ address }) => addressProblem(address, policy) === null);
  if (first !== undefined) return [first, ...others];
  const refused = addresses.map(({ address }) => `${address} ${addressProblem(address, policy)}`);
  throw new FetchFailed(`The host ${hostname} has no address that may be used: ${refused.slice(0, 3).join(', ')}.`);
}
