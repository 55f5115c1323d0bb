import type { EdgeApiError, EdgeTlsError } from '@edge-controller/sdk/node';
import { optionOf } from '../lib/option-name.ts';
import { printable } from '../lib/printable.ts';
import { CliError } from './cli-error.ts';
import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';

interface Explained {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/**
 * What the person at the terminal reads about a failure, and the exit code. `login` is the command that signs in again. Who throws a
 * `CliError` has made its text printable; that of all other errors may come from anywhere.
 */
export function explainError(error: unknown, login: string): Explained {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  const { name } = error instanceof Error ? error : { name: '' };
  const message = printable(error instanceof Error ? error.message : String(error));
  switch (name) {
    case 'EdgeApiError':
      return explainRefusal(error as EdgeApiError, login);
    case 'EdgeAuthQueryError':
      return { message: `${message}\nSign in: ${login}`, exitCode: exitCodes.notSignedIn };
    case 'EdgeTlsError':
      return { message: `${message}${hintOf(error as EdgeTlsError, login)}`, exitCode: exitCodes.unreachable };
    case 'EdgeOidcError':
    case 'EdgeTokenError':
      return { message, exitCode: exitCodes.notSignedIn };
    case 'EdgeNetworkError':
    case 'EdgeTimeoutError':
      return { message, exitCode: exitCodes.unreachable };
    case 'ExitPromptError':
      return { message: 'cancelled', exitCode: exitCodes.interrupted };
    default:
      return { message, exitCode: exitCodes.failed };
  }
}

function hintOf({ reason }: EdgeTlsError, login: string): string {
  return reason === 'UNTRUSTED' ? `\nName the CA file with --ca: ${login} --ca ca.pem` : '';
}

function explainRefusal(error: EdgeApiError, login: string): Explained {
  const { status, cause, isSignIn } = error;
  const code = printable(error.code);
  const message = printable(error.message);
  if (error.code === 'STEP_UP_REQUIRED') {
    return {
      message: `you have signed in too long ago to change how you sign in, or to give rights (${code})\nSign in again: ${login}`,
      exitCode: exitCodes.notSignedIn,
    };
  }
  if (status === 401 && !isSignIn) {
    return {
      message: `the session has ended, or it may not do this (${code})\nSign in: ${login}`,
      exitCode: exitCodes.notSignedIn,
    };
  }
  if (status === 401) return { message, exitCode: exitCodes.notSignedIn };
  const field = cause?.field ? `\nThe option is ${printable(optionOf(cause.field))}.` : '';
  const request = status >= 500 ? `\nThe controller logged it as request ${printable(error.requestId)}.` : '';
  return { message: `${message}${field}${request}`, exitCode: status === 404 ? exitCodes.notFound : exitCodes.failed };
}
