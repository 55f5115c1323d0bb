import type { Command } from 'commander';

/** A command that is no operation of the tree. */
interface OwnCommand {
  readonly about: string;
  /** Loads its options and its action. */
  readonly load: () => Promise<(command: Command) => void>;
}

/** The commands besides those of the tree, in the order of the help. */
export const ownCommands: Readonly<Record<string, OwnCommand>> = {
  login: {
    about: 'Sign in to a controller and keep the session in a profile',
    load: async () => (await import('./login.ts')).addLogin,
  },
  logout: {
    about: 'End the session of a profile',
    load: async () => (await import('./logout.ts')).addLogout,
  },
  whoami: {
    about: 'Show the session: who is signed in, where, and until when',
    load: async () => (await import('./whoami.ts')).addWhoami,
  },
  enroll: {
    about: 'Redeem an enrollment JWT and write the identity file',
    load: async () => (await import('./enroll.ts')).addEnroll,
  },
  apply: {
    about: 'Make the network as a file describes it',
    load: async () => (await import('./apply.ts')).addApply,
  },
  export: {
    about: 'Write the network as such a file',
    load: async () => (await import('./export.ts')).addExport,
  },
  profiles: {
    about: 'List, choose and remove profiles',
    load: async () => (await import('./profiles.ts')).addProfiles,
  },
  'policy-advice': {
    about: 'Say whether an identity can dial a service, and what is in the way',
    load: async () => (await import('./policy-advice.ts')).addPolicyAdvice,
  },
  'test-jwt': {
    about: 'Show each check of a JWT of an external signer',
    load: async () => (await import('./test-jwt.ts')).addTestJwt,
  },
  watch: {
    about: 'Show API sessions as they begin and end, or the audit log as it grows',
    load: async () => (await import('./watch.ts')).addWatch,
  },
  completion: {
    about: 'Print the completion script of a shell',
    load: async () => (await import('./completion.ts')).addCompletion,
  },
};
