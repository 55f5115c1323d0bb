import type { DeviceOs } from '../api/posture-provider.ts';
import { fullVersion } from '../lib/full-version.ts';

interface Browser {
  readonly navigator?: {
    readonly userAgentData?: {
      getHighEntropyValues(hints: readonly string[]): Promise<{ platform?: string; platformVersion?: string }>;
    };
  };
}

/** Version of the API contract that Windows tells instead of its own → the first build that has it, the newest first. */
const windowsBuilds: readonly (readonly [contract: number, build: number])[] = [
  [19, 26_100],
  [15, 22_621],
  [13, 22_000],
  [12, 20_348],
  [10, 19_041],
  [8, 18_362],
  [7, 17_763],
  [6, 17_134],
  [5, 16_299],
  [4, 15_063],
  [3, 14_393],
  [2, 10_586],
  [1, 10_240],
];

/** The operating system, as far as the browser tells it to a page. */
export async function pageOs(): Promise<DeviceOs | null> {
  const { userAgentData } = (globalThis as Browser).navigator ?? {};
  const values = await userAgentData?.getHighEntropyValues(['platform', 'platformVersion']);
  if (!values?.platform || values.platform === 'Unknown') return null;
  const { platform: type, platformVersion = '' } = values;
  return { type, version: type === 'Windows' ? windowsVersion(platformVersion) : fullVersion(platformVersion) };
}

function windowsVersion(contract: string): string {
  const known = windowsBuilds.find(([version]) => Number.parseInt(contract, 10) >= version);
  return known ? `10.0.${known[1]}` : '';
}
