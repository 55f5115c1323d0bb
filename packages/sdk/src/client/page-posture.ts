import type { PostureProvider } from '../api/posture-provider.ts';
import { loadRest } from '../chunks/load.ts';

/**
 * What a page can know about its device: the operating system, in Chromium browsers (`navigator.userAgentData`). Other browsers tell
 * nothing, and nothing is answered.
 *
 * `type` is what the browser calls it: `Windows`, `macOS`, `Linux`, `Android`, `Chrome OS`. `version` is the one of macOS, Android or
 * Chrome OS; of Windows the lowest build that it can be, for example `10.0.22621` for Windows 11 22H2 and 23H2; and empty where the
 * browser does not tell it, as on Linux. A browser does not tell Windows Server from Windows.
 *
 * @example createEdgeClient(url, { posture: pagePosture() })
 */
export function pagePosture(): PostureProvider {
  return { os: async () => (await loadRest()).pageOs() };
}
