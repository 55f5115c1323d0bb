import { createHash, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { connect } from 'node:tls';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Starts Chromium without a window. It trusts the controller at `url` by its key and does not need the CA. */
export async function openBrowser(url: string): Promise<Browser> {
  const executablePath = [process.env.CHROME_PATH ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
    existsSync,
  );
  if (executablePath === undefined) throw new Error('Chromium was not found. Install it, or set CHROME_PATH.');
  return chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
      `--ignore-certificate-errors-spki-list=${await pinnedKey(url)}`,
    ],
  });
}

/** Opens a page in a browser, or in the context of another page. `errors` gets what goes wrong in it. */
export async function openPage(browser: Browser | BrowserContext): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 640, height: 820 });
  page.setDefaultTimeout(40_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (entry) => {
    // The browser logs every refused request. The page shows these errors to the person.
    if (entry.type() === 'error' && !entry.text().startsWith('Failed to load resource')) errors.push(entry.text());
  });
  return { page, errors };
}

/** SHA-256 of the public key of the controller, as Chromium takes it. */
export function pinnedKey(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 443), rejectUnauthorized: false }, () => {
      const { publicKey } = new X509Certificate(socket.getPeerCertificate().raw);
      socket.end();
      resolve(
        createHash('sha256')
          .update(publicKey.export({ type: 'spki', format: 'der' }))
          .digest('base64'),
      );
    });
    socket.once('error', reject);
  });
}
