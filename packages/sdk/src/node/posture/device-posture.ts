import type { PostureProvider } from '../../api/posture-provider.ts';
import { deviceDomain } from './device-domain.ts';
import { deviceMac } from './device-mac.ts';
import { deviceOs } from './device-os.ts';
import { DeviceProcesses } from './device-processes.ts';

/**
 * What Node can know about its device: all kinds of posture queries but `MFA`.
 *
 * - `os`: `Linux` with the version of the kernel, `macOS` with its product version, `Windows` or `WindowsServer` with `10.0.<build>`.
 *   Nothing on other systems
 * - `domain`: the DNS name of the Windows domain that the machine has joined, `''` without one and on other systems
 * - `mac`: the addresses of the interfaces that have a network; on Linux not those of bridges, tunnels and containers, unless there
 *   are no others
 * - `process`: whether a program runs, and the SHA-512 of its file then. A file is read again only when its time or size has changed. On
 *   Windows and macOS it needs the package [`systeminformation`](https://www.npmjs.com/package/systeminformation). On Linux a program
 *   does not count whose file was replaced since its start, and one of another user counts by the name that it was started with. The
 *   certificates that have signed a program (`signerFingerprints`) are not known
 *
 * @example
 * const edge = createEdgeClient(url, { posture: devicePosture() });
 * for await (const services of edge.services.changes()) console.log(services.map(({ name }) => name));
 */
export function devicePosture(): PostureProvider {
  let known: string | undefined;
  let processes: DeviceProcesses | undefined;
  return {
    os: async ({ signal }) => deviceOs(signal),
    async domain({ signal }) {
      // A machine restarts when it joins a domain.
      known ??= await deviceDomain(signal);
      return known;
    },
    mac: async () => deviceMac(),
    async process({ path }) {
      processes ??= new DeviceProcesses();
      return processes.check(path);
    },
  };
}
