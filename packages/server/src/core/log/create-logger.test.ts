import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createLogger } from './create-logger.ts';

function written(line: object): unknown {
  const chunks: string[] = [];
  const destination = { write: (chunk: string) => void chunks.push(chunk) };
  createLogger({ level: 'info', destination }).info(line, 'message');
  return JSON.parse(chunks.join(''));
}

it('logs the code of an error, but no other code and no secret', () => {
  const secrets = { code: '123456', password: 'secret', headers: { cookie: 'secret' } };
  const err = Object.assign(new Error('refused'), { ...secrets, code: 'ECONNREFUSED', request: secrets });
  const removed = { code: '[removed]', password: '[removed]', headers: '[removed]' };
  expect(written({ err, ...secrets, attempt: secrets, deep: { err: secrets } })).toMatchObject({
    err: { ...removed, code: 'ECONNREFUSED', request: removed, message: 'refused' },
    ...removed,
    attempt: removed,
    deep: { err: removed },
  });
});

// A device that is always full, as a disk may be. Only Linux has it.
it.skipIf(!existsSync('/dev/full'))('does not hold the process back when nothing can be written', async () => {
  const program = `
    import { createLogger } from ${JSON.stringify(new URL('./create-logger.ts', import.meta.url).href)};
    const log = createLogger({ level: 'info' });
    for (let line = 0; line < 3; line += 1) {
      log.info('a line');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    process.exitCode = 9;`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', full],
  });
  expect(await once(child, 'exit')).toEqual([9, null]);
  closeSync(full);
});
