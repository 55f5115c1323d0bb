import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testClientCertificates } from '../../src/http/tls-self-test.ts';
import { openPki } from '../../src/pki/pki.ts';

it.each(['ec', 'rsa'] as const)(
  'sees the certificates of a client with %s keys, and refuses to start without',
  async (keyType) => {
    const dir = mkdtempSync(join(tmpdir(), 'edge-self-test-'));
    const { serverKeyPem: key, serverPath } = (
      await openPki({ dir: join(dir, 'pki'), names: [], clock: Date.now, keyType })
    ).current;
    await testClientCertificates({ key, chain: serverPath });
    // More than the controller looks at, so it sees none.
    const tooMany = [...serverPath, ...Array<string>(9).fill(serverPath[1]!)];
    await expect(testClientCertificates({ key, chain: tooMany })).rejects.toMatchObject({
      name: 'StartError',
      problems: [{ kind: 'unusable', message: expect.stringContaining(`Node ${process.version}`) }],
    });
    rmSync(dir, { recursive: true });
  },
);
