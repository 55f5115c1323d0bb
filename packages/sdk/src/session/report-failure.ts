import type { Logger } from '../api/options.ts';

interface Platform {
  readonly reportError?: (error: unknown) => void;
  readonly process?: { emitWarning?(warning: Error | string): void };
}

/**
 * Reports what a listener or another function of the application threw, as the platform reports it for its own events. In Node that
 * would end the process, so it is a warning there. `what`: the function.
 */
export function reportFailure(logger: Logger | undefined, what: string, error: unknown): void {
  const { reportError, process } = globalThis as Platform;
  const isError = error instanceof Error;
  try {
    if (reportError) reportError(error);
    else process?.emitWarning?.(isError ? error : String(error));
    // The text of the error is the application's and may be a secret.
    logger?.error(`${what} failed: ${isError ? error.name : typeof error}`);
  } catch {
    // A failing logger must not affect the client.
  }
}
