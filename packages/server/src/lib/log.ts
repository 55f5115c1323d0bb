import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Settings } from '../config/schema.ts';

export type { Logger } from 'pino';

/** Members that are never logged. This is a second line of defence: no code should pass them to the logger. */
const secrets = ['authorization', 'cookie', 'password', 'currentPassword', 'token', 'jwt', 'code', 'body', 'headers'];

/** Creates a structured logger that writes one JSON object per line. Default destination: standard error. */
export function createLogger(options: { level: Settings['logLevel']; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      redact: {
        // `*.code` already matches `err.code`. With its own entry, pino passes the path to `censor`.
        paths: [...secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), 'err.code'],
        censor: (value: unknown, path) => (isErrorCode(path) ? value : '[removed]'),
      },
    },
    options.destination ?? pino.destination(2),
  );
}

/** The code of an error (`ECONNREFUSED`) is logged. Any other `code` may be a one-time code. */
function isErrorCode(path: readonly unknown[]): boolean {
  return path.length === 2 && path[0] === 'err' && path[1] === 'code';
}
