import type { CheckKind, PostureCheck } from '../posture-check.ts';
import { domain } from './domain.ts';
import { mac } from './mac.ts';
import { mfa } from './mfa.ts';
import { os } from './os.ts';
import { process } from './process.ts';
import { processMulti } from './process-multi.ts';

/** All kinds of posture checks, by their names on the wire. */
export const checkKinds: Readonly<Record<PostureCheck['typeId'], CheckKind>> = {
  OS: os,
  DOMAIN: domain,
  MAC: mac,
  PROCESS: process,
  PROCESS_MULTI: processMulti,
  MFA: mfa,
};
