import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

// This file runs on any Node >= 18 before anything is installed, so it may import only node:*.

const [dim, green, reset] = ['\u001b[2m', '\u001b[32m', '\u001b[0m'];
const width = 12;

/**
 * Prints what a script does, one line per stage, on standard error: standard output belongs to the program that the script
 * starts. Colour only on a terminal, and not with `NO_COLOR`.
 *
 * @param {{ isTTY?: boolean, write(text: string): unknown }} stream
 * @param {Record<string, string | undefined>} env
 */
export function createStages(stream = process.stderr, env = process.env) {
  const hasColour = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  /** @type {(colour: string, text: string) => string} */
  const paint = (colour, text) => (hasColour ? colour + text + reset : text);
  /** @type {(colour: string, verb: string, what: string, details: readonly (string | false)[]) => void} */
  const print = (colour, verb, what, details) => {
    const rest = details.filter(Boolean).join(', ');
    stream.write(`${paint(colour, verb.padEnd(width))} ${what}${rest && paint(dim, `  ${rest}`)}\n`);
  };
  return {
    /**
     * A stage begins.
     *
     * @type {(verb: string, what: string, ...details: (string | false)[]) => void}
     */
    begin: (verb, what, ...details) => print(dim, verb, what, details),
    /**
     * A stage is done.
     *
     * @type {(verb: string, what: string, ...details: (string | false)[]) => void}
     */
    done: (verb, what, ...details) => print(green, verb, what, details),
  };
}

/**
 * `1.2 s` from a moment of `performance.now()` on.
 *
 * @param {number} startedAt
 */
export function since(startedAt) {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/**
 * The size of all files of a directory, as `1.2 MB` or `34 KB`; empty when there is none.
 *
 * @param {string} directory
 */
export function sizeOf(directory) {
  if (!existsSync(directory)) return '';
  const bytes = bytesOf(directory);
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @type {(directory: string) => number} */
function bytesOf(directory) {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const path = join(directory, entry.name);
    return sum + (entry.isDirectory() ? bytesOf(path) : entry.isFile() ? statSync(path).size : 0);
  }, 0);
}
