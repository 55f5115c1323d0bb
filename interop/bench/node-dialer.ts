// Dials a service that echoes, with this SDK, and prints how long the bytes took there and back.
// Usage: node --conditions=source node-dialer.ts <identity file> <URL of the controller> <service> <bytes>
import { nodeClient, transfer } from '../test/support/node-clients.ts';
import { count, identityFile, print, service, url } from './node-program.ts';

const edge = await nodeClient({ file: identityFile, id: '', name: '' }, url);
const bytes = Number(count);
const before = process.cpuUsage();
const megabytesPerSecond = await transfer(await edge.dial(service), bytes);
const { user, system } = process.cpuUsage(before);
print('transferred', { bytes, milliseconds: bytes / 1e3 / megabytesPerSecond, cpu: (user + system) / 1e3 });
edge.dispose();
