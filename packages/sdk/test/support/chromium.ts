import { chromium } from 'playwright-core';
import { chromium as pathOfChromium } from '../../../../scripts/chromium.ts';

/** Starts Chromium without a window. */
export async function openChromium() {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync', '--disable-background-networking'];
  return chromium.launch({ executablePath: pathOfChromium(), args });
}
