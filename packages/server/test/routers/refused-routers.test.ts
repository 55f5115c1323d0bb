import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { expect, it, vi } from 'vitest';
import { createLogger } from '../../src/index.ts';
import { startController } from '../support/controller.ts';
import { freePort } from '../support/free-port.ts';

it('an unauthenticated client at the port of the routers writes twenty lines a minute into the log, and one with the number of the others', async () => {
  const log = createLogger({ level: 'silent' });
  const info = vi.spyOn(log, 'info');
  const linesOf = (text: string) => info.mock.calls.filter(([, message]) => message === text);
  const port = await freePort();
  const server = await startController({ routersBind: `127.0.0.1:${port}`, log });
  try {
    const ca = readFileSync(server.caFile);
    const refused = Array.from({ length: 50 }, async () => {
      const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ALPNProtocols: ['ziti-ctrl'] });
      socket.resume().on('error', () => undefined);
      await once(socket, 'secureConnect');
      socket.write(Buffer.alloc(64, 1));
      await once(socket, 'close');
    });
    await Promise.all(refused);
    await vi.waitFor(() => expect(linesOf('a router was refused')).toHaveLength(20));
  } finally {
    await server[Symbol.asyncDispose]();
  }
  expect(linesOf('a router was refused')).toHaveLength(20);
  expect(linesOf('more routers were refused')).toEqual([[{ refused: 30 }, 'more routers were refused']]);
});
