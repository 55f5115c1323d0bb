import { issuerOf } from '../enrollment/enrollment-jwt.ts';
import { redeemEnrollment } from '../enrollment/redeem-enrollment.ts';
import { SecondaryTokens } from '../external-jwt/secondary-tokens.ts';
import { signInWithJwt } from '../external-jwt/sign-in-with-jwt.ts';
import { pageOs } from '../posture/page-os.ts';
import { createHooks } from '../requests/hooks.ts';
import { allRows, iteratePages } from '../requests/iterate-pages.ts';
import { createServices } from '../services/create-services.ts';
import { createAuthenticatedFetch } from '../session/authenticated-fetch.ts';
import { startKeepAlive } from '../session/keep-alive.ts';
import { SessionReplacement } from '../session/session-replacement.ts';
import { stepUp } from '../session/step-up.ts';
import { createAnswers } from '../sign-in/answers.ts';
import { createAuthQueries } from '../sign-in/auth-queries.ts';
import { createMfa } from '../sign-in/mfa.ts';

/** What a client loads when it needs something that few clients need. */
export const rest = {
  issuerOf,
  redeemEnrollment,
  SecondaryTokens,
  signInWithJwt,
  pageOs,
  createHooks,
  allRows,
  iteratePages,
  createServices,
  createAuthenticatedFetch,
  startKeepAlive,
  SessionReplacement,
  stepUp,
  createAnswers,
  createAuthQueries,
  createMfa,
};
