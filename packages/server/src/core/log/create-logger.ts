import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Settings } from '../config/schema.ts';

/** Members that are never logged. This is a second line of defence: no code should pass them to the logger. */
const secrets = ['authorization', 'cookie', 'password', 'currentPassword', 'token', 'jwt', 'code', 'body', 'headers'];

/** Bytes of lines that wait to be written. Further lines are dropped. */
const maxWaiting = 1_048_576;

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
    options.destination ?? standardError(),
  );
}

/** Standard error. Lines that cannot be written, on a full disk for example, neither stop the controller nor its end. */
function standardError(): DestinationStream {
  const destination = pino.destination({ dest: 2, maxLength: maxWaiting });
  const { flush, flushSync } = destination;
  // At the end of the process, the library would try again for ever.
  destination.on('error', () => Object.assign(destination, { flush: ignore, flushSync: ignore }));
  destination.on('write', () => Object.assign(destination, { flush, flushSync }));
  return destination;
}

const ignore = () => undefined;

/** The code of an error (`ECONNREFUSED`) is logged. Any other `code` may be a one-time code. */
function isErrorCode(path: readonly unknown[]): boolean {
  return path.length === 2 && path[0] === 'err' && path[1] === 'code';
}
