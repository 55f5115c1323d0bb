// Opens idle connections to a service with this SDK, and prints the memory for each.
// Usage: node --conditions=source node-idle.ts <identity file> <URL of the controller> <service> <connections>
import { nodeClient } from '../test/support/node-clients.ts';
import { count, identityFile, memoryInUse, printMemory, service, url } from './node-program.ts';

const atOnce = 20;
const edge = await nodeClient({ file: identityFile, id: '', name: '' }, url);
// The channel to the router, and what is loaded at the first dial.
const kept = [await edge.dial(service)];
const before = await memoryInUse();
const connections = Number(count);
for (let open = 0; open < connections; open += atOnce) {
  kept.push(...(await Promise.all(Array.from({ length: atOnce }, () => edge.dial(service)))));
}
await printMemory(before, connections);
if (kept.some(({ destroyed }) => destroyed)) throw new Error('not all connections live');
for (const connection of kept) connection.destroy();
edge.dispose();
