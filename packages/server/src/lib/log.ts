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
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[removed]' },
    },
    options.destination ?? pino.destination(2),
  );
}
