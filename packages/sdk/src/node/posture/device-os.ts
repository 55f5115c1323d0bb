import { release, version } from 'node:os';
import type { DeviceOs } from '../../api/posture-provider.ts';
import { fullVersion } from '../../lib/full-version.ts';
import { runProgram } from './run-program.ts';

/** The operating system, or `null` when posture checks do not know it. */
export async function deviceOs(signal: AbortSignal): Promise<DeviceOs | null> {
  switch (process.platform) {
    case 'linux':
      return { type: 'Linux', version: fullVersion(release()), build: release() };
    case 'win32': {
      // `Windows Server 2022 Datacenter`
      const build = version();
      return { type: build.includes('Server') ? 'WindowsServer' : 'Windows', version: fullVersion(release()), build };
    }
    case 'darwin':
      return { type: 'macOS', version: fullVersion(await runProgram('/usr/bin/sw_vers', ['-productVersion'], signal)) };
    default:
      return null;
  }
}
