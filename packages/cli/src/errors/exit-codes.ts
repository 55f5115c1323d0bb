/** The exit codes of `edge`, as docs/cli.md lists them. */
export const exitCodes = {
  ok: 0,
  /** The controller refused the call, or something failed that has no code of its own. */
  failed: 1,
  /** Wrong options, arguments or input. Nothing was sent. */
  usage: 2,
  /** There is no session, or it has ended; or the credentials are wrong; or the sign-in is too long ago. */
  notSignedIn: 3,
  /** What was asked for does not exist. */
  notFound: 4,
  /** The controller cannot be reached, or its certificate is not trusted. */
  unreachable: 5,
  /** Ended by Ctrl+C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
