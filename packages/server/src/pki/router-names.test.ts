import type { GeneralName } from '@edge-controller/certificate-path';
import { describe, expect, it } from 'vitest';
import { routerNames } from './router-names.ts';

const own = ['ctrl.example.org', '*.example.com', '192.0.2.7', '2001:db8::7', 'localhost', '127.0.0.1', '::1'];
const ip = (...bytes: number[]): GeneralName => ({ form: 'ip', value: Buffer.from(bytes) });
const dns = (value: string): GeneralName => ({ form: 'dns', value });
const ipv6 = (...groups: number[]) => ip(...groups.flatMap((group) => [group >> 8, group & 0xff]));
const read = (names: readonly GeneralName[], commonNames: readonly string[] = []) =>
  routerNames({ commonNames, alternativeNames: names }, own);

describe('the names of a router', () => {
  it('are taken as they were requested', () => {
    const names = [dns('R1.example.org'), dns('*.edge.example.org'), dns('sub.ctrl.example.org'), ip(192, 0, 2, 8)];
    expect(read([...names, { form: 'email', value: 'a@b.org' }, { form: 'uri', value: 'tls://r1:3022' }])).toEqual([
      { type: 'dns', value: 'R1.example.org' },
      { type: 'dns', value: '*.edge.example.org' },
      { type: 'dns', value: 'sub.ctrl.example.org' },
      { type: 'ip', value: '192.0.2.8' },
      { type: 'email', value: 'a@b.org' },
      { type: 'url', value: 'tls://r1:3022' },
    ]);
    expect(read([])).toEqual([]);
  });

  it('may be those of the own machine', () => {
    const names = [dns('localhost'), ip(127, 0, 0, 1), ip(127, 1, 2, 3), ipv6(0, 0, 0, 0, 0, 0, 0, 1)];
    expect(read(names, ['localhost']).map(({ value }) => value)).toEqual([
      'localhost',
      '127.0.0.1',
      '127.1.2.3',
      '::1',
    ]);
  });

  it.each([
    ['the host', [dns('ctrl.example.org')]],
    ['the host in another case', [dns('CTRL.Example.ORG')]],
    ['a wildcard for it', [dns('*.example.org')]],
    ['the same wildcard', [dns('*.example.com')]],
    ['the address', [ip(192, 0, 2, 7)]],
    ['the address as a host name', [dns('192.0.2.7')]],
    ['the address of version 6', [ipv6(0x2001, 0xdb8, 0, 0, 0, 0, 0, 7)]],
    ['the address in the form of version 6', [ipv6(0, 0, 0, 0, 0, 0xffff, 0xc000, 0x207)]],
    ['the host behind others', [dns('r1.example.org'), dns('ctrl.example.org')]],
  ])('are not those of the controller: %s', (_, names) => {
    expect(() => read(names)).toThrow(expect.objectContaining({ code: 'COULD_NOT_PROCESS_CSR' }));
  });

  it.each(['ctrl.example.org', 'CTRL.example.org', '*.example.org', '192.0.2.7'])(
    'do not have the common name %s',
    (commonName) => {
      expect(() => read([], ['r1', commonName])).toThrow(expect.objectContaining({ code: 'COULD_NOT_PROCESS_CSR' }));
    },
  );
});
