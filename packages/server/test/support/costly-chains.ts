import { generateKeyPairSync } from 'node:crypto';
import * as x from './certificate-extensions.ts';
import type { Authority } from './certificate-writer.ts';
import { der, derNull, oid, pemOf, sequence, write } from './certificate-writer.ts';
import { issuerExtensions, leafExtensions } from './chain.ts';

/** A client certificate with issuers, in PEM, as `tls.connect` takes it. */
export interface CostlyChain {
  readonly key: string;
  readonly cert: string;
}

const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Each name of one certificate is compared with each constraint of its seven issuers. 5,500 and 800 have 96 KB. */
export function manyNames(nameCount = 5_500, constraintCount = 800): CostlyChain {
  const names = times(nameCount, (at) => x.dns(`${at.toString(36)}.a`));
  const constraints = times(constraintCount, (at) => x.dns(`${at.toString(36)}.b`));
  let issuer = write({ issuer: null, subject: 'root', extensions: issuerExtensions });
  const issuers = times(7, (at) => {
    const extensions = [...issuerExtensions, x.nameConstraints({ excluded: constraints })];
    issuer = write({ issuer, subject: `ca ${at}`, extensions });
    return issuer;
  });
  const leaf = write({ issuer, subject: 'leaf', extensions: [...leafExtensions, x.subjectAltNames(names)] });
  return inPem(leaf, issuers.toReversed());
}

/** 12 KB: ten certificates whose RSA keys of 3,072 bits have exponents of the same length. */
export function hugeExponents(bits = 3_072): CostlyChain {
  const spki = (last: number) => {
    const octets = Buffer.alloc(bits / 8 + 1, 0xff);
    octets[0] = 0;
    octets[bits / 8] = last;
    const key = sequence(der(0x02, octets), der(0x02, octets));
    return sequence(sequence(oid('1.2.840.113549.1.1.1'), derNull), der(0x03, Buffer.from([0]), key));
  };
  const signing = {
    algorithm: sequence(oid('1.2.840.113549.1.1.11'), derNull),
    sign: () => Buffer.alloc(bits / 8, 0x7f),
  };
  let issuer = write({ issuer: null, subject: 'root', extensions: issuerExtensions, signing, spki: spki(1) });
  const issuers = times(9, (at) => {
    issuer = write({ issuer, subject: `ca ${at}`, extensions: issuerExtensions, signing, spki: spki(2 * at + 3) });
    return issuer;
  });
  return inPem(write({ issuer, subject: 'leaf', extensions: leafExtensions, signing }), issuers.toReversed());
}

/** Nothing in it is refused, and no other such chain takes OpenSSL longer. */
export function slowestAccepted(): CostlyChain {
  let issuer = write({ issuer: null, subject: 'root', extensions: issuerExtensions });
  const issuers = times(9, (at) => {
    const keys = generateKeyPairSync('ec', { namedCurve: at < 5 ? 'P-521' : 'P-256' });
    issuer = write({ issuer, subject: `ca ${at}`, extensions: issuerExtensions, keys });
    return issuer;
  });
  return inPem(write({ issuer, subject: 'leaf', extensions: leafExtensions }), issuers.toReversed());
}

function inPem(leaf: Authority, issuers: readonly Authority[]): CostlyChain {
  const key = leaf.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, cert: [leaf, ...issuers].map((one) => pemOf(one)).join('') };
}
