import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../core/config/load.ts';
import { addressProblem } from './address-problem.ts';
import { endpointProblem } from './endpoint-problem.ts';

const open = defaultSettings();
const noPrivate = { ...open, jwksBlockPrivateAddresses: true };

const alwaysRefused = [
  ['0.0.0.0', '0.1.2.3'],
  ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['224.0.0.1', '239.255.255.255', '255.255.255.255'],
  ['100.100.100.200', '168.63.129.16', '192.0.0.192'],
].flat();
const alwaysRefused6 = ['::', 'fe80::1', 'febf::1', 'ff02::1', 'fd00:ec2::254', 'fd20:ce::254', '64:ff9b:1::a00:1'];
const privateAddresses = [
  ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '127.0.0.1', '127.255.255.255'],
  ['100.64.0.1', '192.0.0.1', '198.18.0.1', '198.19.255.255', '240.0.0.1'],
].flat();
const privateAddresses6 = ['::1', 'fc00::1', 'fdff::1', 'fec0::1'];
const publicAddresses = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '198.20.0.1', '169.253.1.1', '2606:4700::1111'];

/** All IPv6 addresses that lead to an IPv4 address. */
function formsOf(address: string): string[] {
  const octets = address.split('.').map(Number);
  const hex = (flip: number) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.map((octet) => octet ^ flip);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  };
  const suffixed = ['::ffff:', '64:ff9b::', '::ffff:0:'].flatMap((prefix) => [prefix + address, prefix + hex(0)]);
  const compatible = octets[0] === 0 ? [] : [`::${hex(0)}`];
  const tunnels = [`2002:${hex(0)}::1`, `2002:${hex(0)}:1:2:3:4:5`, `2001:0:101:101:0:0:${hex(0xff)}`];
  return [...suffixed, ...compatible, ...tunnels, `0:0:0:0:0:FFFF:${hex(0).toUpperCase()}`];
}

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));

describe('the address of a JWKS endpoint', () => {
  it.each([...alwaysRefused.flatMap((address) => [address, ...formsOf(address)]), ...alwaysRefused6])(
    'is never %s, even if it is in the list of allowed addresses',
    (address) => {
      expect(addressProblem(address, open)).not.toBeNull();
      expect(addressProblem(address, { ...open, jwksAllowedIPs: [address, '0.0.0.0/1', '::/1'] })).not.toBeNull();
    },
  );

  it.each([...privateAddresses.flatMap((address) => [address, ...formsOf(address)]), ...privateAddresses6])(
    'is %s unless private addresses are blocked',
    (address) => {
      expect(addressProblem(address, open)).toBeNull();
      expect(addressProblem(address, noPrivate)).toBe('is a private or loopback address');
    },
  );

  it.each(publicAddresses)('may be %s', (address) => expect(addressProblem(address, noPrivate)).toBeNull());

  it('has no zone id and is an IP address', () => {
    expect(addressProblem('2606:4700::1%eth0', open)).toBe('has a zone id');
    for (const text of ['', 'a', '127.1', '1.2.3.4 ', '1.2.3.4/8']) {
      expect(addressProblem(text, open)).toBe('is not an IP address');
    }
  });

  it('is not in a denied range, in any form', () => {
    const policy = { ...open, jwksDeniedIPs: ['8.8.0.0/16', '2001:db8::/32', '9.9.9.9', '::ffff:7.0.0.0/104'] };
    const denied = ['8.8.4.4', '9.9.9.9', '2001:db8::5', '::ffff:7.1.2.3', ...formsOf('8.8.4.4')];
    for (const address of denied) {
      expect(addressProblem(address, policy), address).toBe('is in the list of denied addresses');
      expect(addressProblem(address, { ...policy, jwksAllowedIPs: [address] }), address).not.toBeNull();
    }
    for (const address of ['8.9.0.1', '9.9.9.8', '2001:db9::5']) expect(addressProblem(address, policy)).toBeNull();
  });

  it('is in an allowed range if there are any', () => {
    const policy = { ...open, jwksAllowedIPs: ['10.1.0.0/16', '2001:db8::1'] };
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1']) {
      expect(addressProblem(address, policy), address).toBeNull();
      const blocked = addressProblem(address, { ...policy, jwksBlockPrivateAddresses: true });
      expect(blocked === null, address).toBe(address === '2001:db8::1');
    }
    for (const address of ['10.2.0.1', '1.1.1.1', '2001:db8::2', '64:ff9b::10.1.2.3']) {
      expect(addressProblem(address, policy), address).toBe('is not in the list of allowed addresses');
    }
  });

  it('is judged the same however an IPv4 address is written', () => {
    const policy = { ...noPrivate, jwksDeniedIPs: ['11.0.0.0/8'] };
    fc.assert(
      fc.property(ipv4, (address) => {
        const expected = addressProblem(address, policy) === null;
        for (const form of formsOf(address)) {
          expect(isIPv6(form), form).toBe(true);
          expect(addressProblem(form, policy) === null, form).toBe(expected);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('has an answer for every address that Node knows', () => {
    const texts = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string());
    const lists = {
      ...noPrivate,
      jwksDeniedIPs: ['11.0.0.0/8', 'fc00::/8'],
      jwksAllowedIPs: ['1.0.0.0/1', '2000::/3'],
    };
    fc.assert(
      fc.property(texts, (text) => addressProblem(text, lists) !== undefined),
      { numRuns: 1_000 },
    );
  });
});

describe('the URL of a JWKS endpoint', () => {
  it.each([
    ['jwks', 'The URL is not valid.'],
    ['https://', 'The URL is not valid.'],
    ['http://[fe80::1%25eth0]/', 'The URL is not valid.'],
    ['file:///etc/passwd', 'The URL must begin with https:// or http://.'],
    ['ftp://idp.example.org/', 'The URL must begin with https:// or http://.'],
    ['https://user@idp.example.org/', 'The URL must not have a user name or a password.'],
    ['https://:secret@idp.example.org/', 'The URL must not have a user name or a password.'],
    ['http://169.254.169.254/latest', 'The host 169.254.169.254 is a link-local address.'],
    ['http://2852039166/', 'The host 169.254.169.254 is a link-local address.'],
    ['http://0xa9.0376.43518./', 'The host 169.254.169.254 is a link-local address.'],
    ['http://[::FFFF:169.254.169.254]/', 'The host ::ffff:a9fe:a9fe is a link-local address.'],
    ['http://0/', 'The host 0.0.0.0 is an unspecified address.'],
  ])('is not %s', (url, problem) => expect(endpointProblem(url, open)).toBe(problem));

  it('has a host that is not denied', () => {
    const policy = { ...open, jwksDeniedHostnames: ['internal', '*.corp.example'] };
    const refused = [
      'http://internal/',
      'http://INTERNAL.:8080/',
      'http://a.corp.example/',
      'https://A.B.Corp.Example./',
    ];
    for (const url of refused) {
      expect(endpointProblem(url, policy), url).toMatch(/^The host [a-z.]+ is in the list of denied host names\.$/);
    }
    for (const url of ['http://corp.example/', 'http://acorp.example/', 'http://internal.example/', 'http://a/']) {
      expect(endpointProblem(url, policy), url).toBeNull();
    }
  });

  it('has an allowed host if there are any', () => {
    const policy = { ...open, jwksAllowedHostnames: ['idp.example', '*.idp.example', '10.0.0.1'] };
    for (const url of ['https://idp.example./jwks', 'https://a.IDP.example', 'http://10.0.0.1']) {
      expect(endpointProblem(url, policy), url).toBeNull();
      const denied = { ...policy, jwksDeniedHostnames: ['idp.example', 'a.idp.example', '10.0.0.1'] };
      expect(endpointProblem(url, denied), url).not.toBeNull();
    }
    for (const url of ['https://evil-idp.example', 'https://idp.example.evil', 'http://10.0.0.2', 'http://[::1]/']) {
      expect(endpointProblem(url, policy), url).toContain('is not in the list of allowed host names');
    }
  });

  it('needs no lookup', () => {
    for (const url of [
      'https://idp.invalid/jwks?x=1#y',
      'http://localhost:8080',
      'http://[::1]:1/',
      'http://127.0.0.1',
    ]) {
      expect(endpointProblem(url, open), url).toBeNull();
    }
    expect(endpointProblem('http://127.0.0.1', noPrivate)).toBe('The host 127.0.0.1 is a private or loopback address.');
  });
});
