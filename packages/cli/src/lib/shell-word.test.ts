import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test.each([
  ...['@sensor-1', '@Bob Smith', "o'neil", "'; id #", '$(id)', '`id`', '"', '\\', '~root', '=ls', '*', '', '#x', '!x'],
  ...['a&b', 'a|b', 'a>b', 'https://localhost:1280', 'identity = "x" or true', '-x'],
])('a shell takes %j for one word', (text) => {
  const script = `set -- ${shellWord(text)}; printf '%s|%s' "$#" "$1"`;
  for (const shell of ['sh', 'bash']) expect(execFileSync(shell, ['-c', script]).toString()).toBe(`1|${text}`);
});

test('a word that needs no quotes has none, and none controls a terminal', () => {
  expect(['@sensor-1', 'https://localhost:1280', 'a.b:c/d'].map(shellWord)).toEqual([
    ...['@sensor-1', 'https://localhost:1280', 'a.b:c/d'],
  ]);
  expect(shellWord('a\n\u001b[2J')).toBe("'a \ufffd[2J'");
});
