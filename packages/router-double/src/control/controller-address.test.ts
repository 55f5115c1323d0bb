import { expect, it } from 'vitest';
import { readAddress } from './controller-address.ts';

it.each([
  ['127.0.0.1:6262', '127.0.0.1', 6_262],
  ['tls:ctrl.example.org:1', 'ctrl.example.org', 1],
  ['tls://ctrl.example.org:65535', 'ctrl.example.org', 65_535],
  ['tls:[::1]:1280', '::1', 1_280],
])('reads %s', (address, host, port) => {
  expect(readAddress(address)).toEqual({ host, port });
});

it.each(['', 'host', 'host:', ':1', 'wss:host:1', 'tls:host:65536', 'host:1/path'])('refuses %j', (address) => {
  expect(() => readAddress(address)).toThrow(TypeError);
});
