import type { Send } from './controller.ts';
import type { History } from './history.ts';
import type { CrashSession, Network, Person, Write } from './operations.ts';
import { unique } from './operations.ts';

const management = '/edge/management/v1';

/** The role attribute of identities that may dial the service. */
export const dialAttribute = 'dials';

/** A session of the service, and its key in the history. */
export interface ServiceSession {
  readonly key: string;
  readonly id: string;
  readonly apiSession: CrashSession;
}

interface Surroundings {
  readonly send: Send;
  readonly write: Write;
  /** Compares a value with the history. */
  readonly check: (key: string, value: unknown, since: number) => void;
  readonly history: History;
  readonly token: string;
  readonly network: Network;
}

/** The operations on sessions of the service. */
export function createServiceOperations({ send, write, check, history, token, network }: Surroundings) {
  const add = async (path: string, body: object) => {
    const { data } = await send<{ id: string }>([201], 'POST', `${management}${path}`, { token, body });
    return data.id;
  };

  const operations = {
    /** Creates the service, and the policies that let people dial it through an edge router. */
    async addService() {
      const reaches = { name: 'policy', semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
      await add('/edge-routers', { name: 'router' });
      await add('/edge-router-policies', { ...reaches, identityRoles: ['#all'] });
      await add('/service-edge-router-policies', { ...reaches, serviceRoles: ['#all'] });
      network.serviceId = await add('/services', { name: 'service', encryptionRequired: true });
      const roles = { identityRoles: [`#${dialAttribute}`], serviceRoles: [`@${network.serviceId}`] };
      await add('/service-policies', { name: 'policy', type: 'Dial', semantic: 'AnyOf', ...roles });
    },

    async open(person: Person, apiSession: CrashSession) {
      const request = { expected: 201, method: 'POST', path: '/edge/client/v1/sessions', token: apiSession.token };
      const { data } = await write<{ id: string }>('open service', {}, { ...request, body: network });
      const session = { key: unique('service session'), id: data.id, apiSession };
      history.assume({ [session.key]: 'live' });
      person.serviceSessions.push(session);
    },

    /** What ends with an API session of a person, or with its right. */
    ended({ serviceSessions }: Person, apiSession?: CrashSession) {
      const live = serviceSessions.filter(({ key }) => history.last(key) === 'live');
      const own = live.filter((session) => apiSession === undefined || session.apiSession === apiSession);
      return Object.fromEntries(own.map(({ key }) => [key, 'ended']));
    },

    /** Returns `live` or `ended`. */
    async stateOfService({ id }: ServiceSession) {
      const { status } = await send([200, 404], 'GET', `${management}/sessions/${id}`, { token });
      return status === 200 ? 'live' : 'ended';
    },

    async checkServices({ serviceSessions }: Pick<Person, 'serviceSessions'>) {
      const since = performance.now();
      for (const session of serviceSessions) check(session.key, await operations.stateOfService(session), since);
    },
  };
  return operations;
}
