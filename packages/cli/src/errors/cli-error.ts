import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';

/** A failure with a text for the person at the terminal, who sees no stack. It contains no secrets. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The options, arguments or input are wrong. */
export function usageError(message: string, options?: ErrorOptions): CliError {
  return new CliError(message, exitCodes.usage, options);
}
