#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// An older Node could not load the rest, so nothing else is imported before this.
const { engines, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = String(engines.node).replace('>=', '');
const [major = 0, minor = 0] = needed.split('.').map(Number);
const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number);

if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  process.stderr.write(`edge needs Node ${needed} or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2), version);
