import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sha256 = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

export const inlineScript = 'document.documentElement.dataset.inline = "ran";';
export const inlineStyle = 'body { margin: 0; }';
export const addedStyle = 'h1 { color: rgb(1, 2, 3); }';

/** Shows what the policy lets through: a style that `csp.json` has, another style, an inline script, a request elsewhere. */
const appScript = `const style = document.createElement('style');
style.textContent = ${JSON.stringify(addedStyle)};
const other = document.createElement('style');
other.textContent = 'h1 { width: 7px; }';
const script = document.createElement('script');
script.textContent = 'document.documentElement.dataset.injected = "ran";';
document.head.append(style, other, script);
await fetch('https://provider.example/token').then((response) => (document.title = String(response.status)));
// ${'long enough to be worth an encoding '.repeat(200)}
`;

export const consoleContents: Readonly<Record<string, string>> = {
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Console</title>
    <link rel="icon" href="data:," />
    <style>${inlineStyle}</style>
    <script>${inlineScript}</script>
    <script type="module" crossorigin src="/console/assets/app-1a2b3c.js"></script>
  </head>
  <body><h1>Console</h1></body>
</html>
`,
  'assets/app-1a2b3c.js': appScript,
  'assets/tiny-4d5e6f.css': 'a{}',
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'csp.json': JSON.stringify({ styles: [sha256(addedStyle)] }),
  '.hidden.js': 'not served',
};

/** Writes the files of a small console into a new directory. A link in it leads out of it. */
export function writeConsole(contents: Readonly<Record<string, string>> = consoleContents): string {
  const parent = mkdtempSync(join(tmpdir(), 'edge-console-'));
  writeFileSync(join(parent, 'secret.txt'), 'outside of the console');
  const dir = join(parent, 'dist');
  mkdirSync(join(dir, 'assets'), { recursive: true });
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(dir, name), content);
  symlinkSync(join(parent, 'secret.txt'), join(dir, 'link.txt'));
  return dir;
}
