import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Settings } from '../config/schema.ts';

export type { Logger } from 'pino';

/** Members that are never written, wherever they come up; nothing here should ever be handed to the log anyway. */
const secrets = ['authorization', 'cookie', 'password', 'currentPassword', 'token', 'jwt', 'code', 'body', 'headers'];

/** Structured log, one JSON object per line; default destination: standard error. */
export function createLogger(options: { level: Settings['logLevel']; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      redact: {
        // `err.code` is under `*.code` already; a path of its own makes pino name it to the censor.
        paths: [...secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), 'err.code'],
        censor: (value: unknown, path) => (isErrorCode(path) ? value : '[removed]'),
      },
    },
    options.destination ?? pino.destination(2),
  );
}

/** The code of an error tells what failed (`ECONNREFUSED`); any other may be a one-time code. */
function isErrorCode(path: readonly unknown[]): boolean {
  return path.length === 2 && path[0] === 'err' && path[1] === 'code';
}
