import type { CrashSession, Person, ServiceSession } from './person.ts';
import { dialAttribute, unique } from './person.ts';
import type { Recorder } from './recorder.ts';

const management = '/edge/management/v1';

/** The id of the service that everybody with the role attribute may dial. */
export interface Network {
  serviceId?: string;
}

/** The operations on sessions of the service. */
export class ServiceOperations {
  readonly #recorder: Recorder;
  readonly #network: Network;

  constructor(recorder: Recorder, network: Network) {
    this.#recorder = recorder;
    this.#network = network;
  }

  /** Creates the service, and the policies that let people dial it through an edge router. */
  async create() {
    const reaches = { name: 'policy', semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
    await this.#add('/edge-routers', { name: 'router' });
    await this.#add('/edge-router-policies', { ...reaches, identityRoles: ['#all'] });
    await this.#add('/service-edge-router-policies', { ...reaches, serviceRoles: ['#all'] });
    const serviceId = await this.#add('/services', { name: 'service', encryptionRequired: true });
    this.#network.serviceId = serviceId;
    const roles = { identityRoles: [`#${dialAttribute}`], serviceRoles: [`@${serviceId}`] };
    await this.#add('/service-policies', { name: 'policy', type: 'Dial', semantic: 'AnyOf', ...roles });
  }

  async open(person: Person, apiSession: CrashSession) {
    const request = { expected: 201, method: 'POST', path: '/edge/client/v1/sessions', token: apiSession.token };
    const { data } = await this.#recorder.write<{ id: string }>(
      'open service',
      {},
      { ...request, body: this.#network },
    );
    const session = { key: unique('service session'), id: data.id, apiSession };
    this.#recorder.history.assume({ [session.key]: 'live' });
    person.serviceSessions.push(session);
  }

  /** What ends with an API session of a person, or with its right. */
  ended({ serviceSessions }: Person, apiSession?: CrashSession) {
    const live = serviceSessions.filter((session) => this.#recorder.isLive(session));
    const own = live.filter((session) => apiSession === undefined || session.apiSession === apiSession);
    return Object.fromEntries(own.map(({ key }) => [key, 'ended']));
  }

  /** Returns `live` or `ended`. */
  async stateOf({ id }: ServiceSession) {
    const { token } = this.#recorder;
    const { status } = await this.#recorder.send([200, 404], 'GET', `${management}/sessions/${id}`, { token });
    return status === 200 ? 'live' : 'ended';
  }

  async check({ serviceSessions }: Pick<Person, 'serviceSessions'>) {
    const since = performance.now();
    for (const session of serviceSessions) this.#recorder.check(session.key, await this.stateOf(session), since);
  }

  async #add(path: string, body: object) {
    const { send, token } = this.#recorder;
    const { data } = await send<{ id: string }>([201], 'POST', `${management}${path}`, { token, body });
    return data.id;
  }
}
