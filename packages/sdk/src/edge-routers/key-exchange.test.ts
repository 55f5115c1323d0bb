import libsodium from 'libsodium-wrappers';
import { beforeAll, expect, test } from 'vitest';
import { agreeOnKeys, createKeyPair } from './key-exchange.ts';

beforeAll(() => libsodium.ready);

const plain = (keys: object) => Object.values(keys).map((key) => Buffer.from(key).toString('hex'));

test('both ends agree on the keys, as libsodium does', () => {
  const own = createKeyPair();
  const { publicKey, privateKey } = libsodium.crypto_kx_keypair();
  const asClient = libsodium.crypto_kx_client_session_keys(publicKey, privateKey, own.publicKey);
  expect(plain(agreeOnKeys(own, publicKey, 'hosts'))).toEqual(plain([asClient.sharedTx, asClient.sharedRx]));
  const asServer = libsodium.crypto_kx_server_session_keys(publicKey, privateKey, own.publicKey);
  expect(plain(agreeOnKeys(own, publicKey, 'dials'))).toEqual(plain([asServer.sharedTx, asServer.sharedRx]));
});

test('a public key that leads to a known secret, and one of another length, are refused', () => {
  for (const peer of [new Uint8Array(32), new Uint8Array(31), new Uint8Array()]) {
    expect(() => agreeOnKeys(createKeyPair(), peer, 'dials')).toThrow();
  }
});
