import { expect, it } from 'vitest';
import { createLogger } from './log.ts';

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
