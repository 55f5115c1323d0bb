import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

/** Sign-outs while the session store cannot be read. */
export const signOutMutants: readonly SignInMutant[] = [
  {
    mutant: 'forgets who signs out while the session cannot be read',
    mutations: change(
      'http/operations/session.ts',
      'await unreadSignOuts.record(',
      'if (error === null) await unreadSignOuts.record(',
    ),
    tests: ['sign-out-outage'],
  },
  {
    mutant: 'records as many sign-outs of an address as it sends',
    mutations: change('sessions/unread-sign-outs.ts', ' || ofAddress >= mostOfAddress', ''),
    tests: ['sign-out-outage'],
  },
  {
    mutant: 'leaves sessions in the store whose owners signed out without it',
    mutations: change(
      'storage/revocation/outbox.ts',
      'if (signedOut.length > 0) await options.endSignedOut(signedOut);',
      '',
    ),
    tests: ['sign-out-outage'],
  },
];

/** The size of the audit log, and what it must not have. */
export const auditMutants: readonly SignInMutant[] = [
  {
    mutant: 'writes each refusal of unauthenticated clients into the audit log',
    mutations: change(
      'core/events/events.ts',
      "repeatedBy: 'anybody', on: onIdentity, details: ['method', 'reason']",
      "repeatedBy: 'nobody', on: onIdentity, details: ['method', 'reason']",
    ),
    tests: ['audit-repeats'],
  },
  {
    mutant: 'counts opened sign-ins instead of writing them into the audit log',
    mutations: change(
      'core/events/events.ts',
      "repeatedBy: 'nobody', who: itself, on: onApiSession, details: ['method']",
      "repeatedBy: 'anybody', who: itself, on: onApiSession, details: ['method']",
    ),
    tests: ['audit-repeats'],
  },
  {
    mutant: 'writes as many different refusals of an address as it causes',
    mutations: change('audit/repeats.ts', 'different < maxDifferent && ', ''),
    tests: ['audit-repeats'],
  },
  {
    mutant: 'loses the numbers of repeated acts when it stops',
    mutations: change('operate/upkeep.ts', '    await flush();\n', ''),
    tests: ['audit-repeats'],
  },
  {
    mutant: 'counts what administrators do',
    mutations: change('audit/source-of.ts', '(isAdmin || permissions.size > 0)', '(permissions === none && !isAdmin)'),
    tests: ['audit-repeats'],
  },
  {
    mutant: 'lets the audit log grow',
    mutations: change('audit/shorten-log.ts', 'Math.max(old, excess)', 'old'),
    tests: ['audit-repeats', 'audit-upkeep'],
  },
  {
    mutant: 'shows secrets of entities in the audit log',
    mutations: change('crud/record-change.ts', 'field.secret ? [name] : []', '[]'),
    tests: ['audit-secrets'],
  },
  {
    mutant: 'writes each code of a user into the audit log',
    mutations: change(
      'core/events/events.ts',
      "repeatedBy: 'owners', who: itself, on: onApiSession",
      "repeatedBy: 'nobody', who: itself, on: onApiSession",
    ),
    tests: ['audit-repeats'],
  },
];
