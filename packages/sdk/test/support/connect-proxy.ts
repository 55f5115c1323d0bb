import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';

/** `null`: opens the connection. A status refuses it. `silent`: does not respond. `mute`: nobody is behind it. */
type Answer = null | '407 Proxy Authentication Required' | '502 Bad Gateway' | 'silent' | 'mute';

/** A real HTTP proxy on a free port. It knows CONNECT only. */
export async function startConnectProxy(answer: Answer = null) {
  const open = new Set<Socket>();
  /** The target and the headers of each CONNECT. */
  const asked: { target: string; headers: object }[] = [];
  /** Everything that clients have sent. */
  const received: Buffer[] = [];
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
  });
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    client.on('data', (chunk) => received.push(chunk));
    client.on('end', () => client.end());
    asked.push({ target: url, headers });
    if (answer === 'silent') return;
    if (answer === 'mute') return void client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (answer !== null) return void client.write(`HTTP/1.1 ${answer}\r\ncontent-length: 0\r\n\r\n`);
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    asked,
    received: () => Buffer.concat(received).toString('latin1'),
    open: () => open.size,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
