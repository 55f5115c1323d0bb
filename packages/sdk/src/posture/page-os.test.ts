import { afterEach, expect, test, vi } from 'vitest';
import { pagePosture } from '../index.ts';

afterEach(() => void vi.unstubAllGlobals());

const request = { signal: new AbortController().signal };

function browser(values: object | undefined) {
  const getHighEntropyValues = async () => values;
  vi.stubGlobal('navigator', values && { userAgentData: { getHighEntropyValues } });
}

test.each([
  ['Windows', '19.0.0', '10.0.26100'],
  ['Windows', '18.0.0', '10.0.22621'],
  ['Windows', '15.0.0', '10.0.22621'],
  ['Windows', '14.0.0', '10.0.22000'],
  ['Windows', '13.0.0', '10.0.22000'],
  ['Windows', '10.0.0', '10.0.19041'],
  ['Windows', '1.0.0', '10.0.10240'],
  ['Windows', '0.3.0', ''],
  ['Windows', undefined, ''],
  ['macOS', '14.5.0', '14.5.0'],
  ['macOS', '15.1', '15.1.0'],
  ['Android', '13', '13.0.0'],
  ['Chrome OS', '15117.112.0', '15117.112.0'],
  ['Linux', '', ''],
  ['Linux', '6.5.0-35-generic', '6.5.0'],
])('%s with %s is the version "%s"', async (platform, platformVersion, version) => {
  browser({ platform, platformVersion });
  expect(await pagePosture().os?.(request)).toEqual({ type: platform, version });
});

test('a browser that tells nothing, and a runtime without a page, give no answer', async () => {
  for (const values of [undefined, {}, { platform: '' }, { platform: 'Unknown', platformVersion: '1' }]) {
    browser(values);
    expect(await pagePosture().os?.(request)).toBeNull();
  }
});
