import { randomUUID } from 'node:crypto';
import type { ManagementCalls } from '../api/generated/calls.ts';
import type { NodeEdgeClient, NodeEdgeClientOptions } from '../node/create-node-edge-client.ts';
import { enroll } from '../node/enroll.ts';
import type { CertificateIdentity } from '../node/identity-file.ts';
import { hasCertificate } from '../node/identity-file.ts';
import type { TestClock } from './test-clock.ts';

type IdentityBody = Parameters<ManagementCalls['identities']['create']>[0];

/**
 * Members of an identity, and its password. Default: a `User` with a unique name and a random password, no administrator.
 *
 * @example
 * const ada = await controller.createIdentity({ name: 'Ada' });
 */
export interface NewIdentity extends Partial<Omit<IdentityBody, 'enrollment'>> {
  /** `null`: the identity gets no password. Default: a random one. */
  readonly password?: string | null | undefined;
  /** The user name for the sign-in. Default: the name, and `Ada@test` for a name of fewer than 4 characters. */
  readonly username?: string | undefined;
}

/**
 * An identity of a test controller.
 *
 * @example
 * const ada = await controller.createIdentity();
 * const edge = await ada.signIn();
 * console.log(ada.username, edge.session?.identity.id === ada.id);
 */
export interface TestIdentity {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  /** Empty when it has none. */
  readonly password: string;
  /** Signs in with the password and resolves to the client. Its options are those of `createEdgeClient` in Node. */
  signIn(options?: NodeEdgeClientOptions): Promise<NodeEdgeClient>;
}

interface Parts {
  readonly management: ManagementCalls;
  readonly client: (options?: NodeEdgeClientOptions) => NodeEdgeClient;
  readonly clock: TestClock;
}

const enrollmentTime = 3_600_000;
/** A user name has at least so many characters. */
const shortestUsername = 4;

const usernameOf = (name: string): string => (name.length < shortestUsername ? `${name}@test` : name);

export function createTestIdentities({ management, client, clock }: Parts) {
  return {
    async createIdentity(identity: NewIdentity = {}): Promise<TestIdentity> {
      const { name = `identity-${randomUUID()}`, type = 'User', isAdmin = false } = identity;
      const { username = usernameOf(name), password = randomUUID(), ...members } = identity;
      const account = { username, password: password ?? '' };
      const { id } = await management.identities.create({ ...members, name, type, isAdmin });
      if (password !== null) await management.authenticators.create({ method: 'updb', identityId: id, ...account });
      return {
        ...{ id, name, ...account },
        async signIn(options) {
          if (password === null) throw new TypeError('the identity has no password');
          const edge = client(options);
          await edge.signIn.password(account);
          return edge;
        },
      };
    },

    async clientCertificate({ id: identityId }: Pick<TestIdentity, 'id'>): Promise<CertificateIdentity> {
      const expiresAt = new Date(clock.now() + enrollmentTime).toISOString();
      const { id } = await management.enrollments.create({ method: 'ott', identityId, expiresAt });
      const { jwt } = await management.enrollments.get(id);
      const { url, key, cert, ca } = await enroll(jwt ?? '');
      const identity = { url, key, cert, ca };
      if (!hasCertificate(identity)) throw new Error('the enrollment returned no certificate');
      return identity;
    },
  };
}
