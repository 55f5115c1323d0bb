/** One thing that keeps the controller from starting. */
export interface StartProblem {
  /** What cannot be used, and why. */
  readonly message: string;
  /** The setting that leads to it. `null`: no single one. */
  readonly setting:
    | 'adminPassword'
    | 'breachedPasswords'
    | 'browserBind'
    | 'browserCertificate'
    | 'browserKey'
    | 'dataDir'
    | 'operationsBind'
    | 'sealKey'
    | null;
  readonly fix: string;
  /** `wrong`: something that is there is not right (exit code 2). `unusable`: it cannot be used now (exit code 3). */
  readonly kind: 'wrong' | 'unusable';
}

/** The controller cannot start. `problems` has all problems that were found, and the message lists them. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly problems: readonly StartProblem[];

  constructor(problems: readonly StartProblem[], options?: ErrorOptions) {
    super(problems.map(({ message, fix }) => `${message}\n  to fix: ${fix}`).join('\n'), options);
    this.problems = problems;
  }
}

/** One error for all errors of a start. An error that is no `StartError` is returned as it is: it is not expected. */
export function joinStartErrors(errors: readonly unknown[]): unknown {
  const different = [...new Set(errors)];
  const unexpected = different.find((error) => !(error instanceof StartError));
  if (unexpected !== undefined || different.length === 1) return unexpected ?? different[0];
  return new StartError(different.flatMap((error) => (error instanceof StartError ? error.problems : [])));
}
