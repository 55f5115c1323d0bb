// Hosts a service with this SDK, and echoes. With a number, it prints the memory for so many idle connections.
// Usage: node --conditions=source node-host.ts <identity file> <URL of the controller> <service> [connections]
import { pipeline } from 'node:stream/promises';
import { nodeClient } from '../test/support/node-clients.ts';
import { count, identityFile, memoryInUse, print, printMemory, service, url } from './node-program.ts';

const edge = await nodeClient({ file: identityFile, id: '', name: '' }, url);
const binding = await edge.bind(service);
print('listening');
const connections = Number(count);
const before = await memoryInUse();
print('ready');
let accepted = 0;
for await (const connection of binding) {
  pipeline(connection, connection).catch(() => undefined);
  accepted += 1;
  if (accepted === connections) void printMemory(before, connections);
}
