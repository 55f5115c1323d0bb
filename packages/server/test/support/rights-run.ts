import { expect } from 'vitest';
import type { TestController } from './controller.ts';
import type { Network, NetworkUser } from './network.ts';
import { createNetwork } from './network.ts';
import type { ModelApiSession, ModelIdentity, ModelPolicy, ModelSession, Wanted, World } from './rights-model.ts';
import { isFull, judge, noDevice, withoutLost, withoutRole, withSessions } from './rights-model.ts';
import { isOfRouters, RightsRouters } from './rights-routers.ts';
import type { Step, StepOf } from './rights-steps.ts';
import {
  allSessions,
  apiSessionPlaces,
  bodyOf,
  checkPlaces,
  domains,
  firstChecks,
  newPolicy,
  ofPosture,
  places,
  responseOf,
  wantedOf,
  withIds,
} from './rights-steps.ts';
import type { Authenticator, TestTime } from './totp.ts';
import { enrollTotp } from './totp.ts';

/** Those of new entities. */
const attributes = ['a', 'b'];
const newIdentity: ModelIdentity = { roleAttributes: attributes, totp: null };
const statuses = { partial: 401, unknown: 404, 'other type': 400, failing: 409, 'no router': 400, passing: 201 };

type Parts = Readonly<{ network: Network; routers: RightsRouters; time: TestTime }>;

/** Some controllers with the same stores, and what they should say. */
export class RightsRun {
  readonly #network: Network;
  readonly #servers: readonly TestController[];
  readonly #routers: RightsRouters;
  readonly #time: TestTime;
  readonly #totps = new Map<number, Authenticator>();
  readonly #ids: Record<'services' | 'policies', string[]> = { services: [], policies: [] };
  readonly #users: NetworkUser[] = [];
  readonly #tokens: string[] = [];
  #world: World = {
    ...{ checks: [], policies: [], sessions: new Map() },
    identities: places.map(() => newIdentity),
    services: places.map(() => attributes),
    apiSessions: apiSessionPlaces.map((at) => noDevice(at % places.length)),
  };
  #turn = 0;
  #shown: { readonly text: string; readonly lastChangeAt: string } | null = null;
  /** How many steps there were of each kind. */
  readonly counts = new Map<string, number>();
  /** How many sessions lost their right. */
  lost = 0;

  private constructor(servers: readonly TestController[], { network, routers, time }: Parts) {
    this.#servers = servers;
    this.#network = network;
    this.#routers = routers;
    this.#time = time;
  }

  static async start(servers: readonly [TestController, ...TestController[]], time: TestTime): Promise<RightsRun> {
    const network = await createNetwork(servers[0], { routers: 0 });
    const run = new RightsRun(servers, { network, routers: await RightsRouters.start(network.send), time });
    for (const _ of places) {
      run.#users.push(await run.#network.addUser(attributes));
      run.#ids.services.push(await run.#network.addService(attributes));
    }
    for (const at of checkPlaces) await run.#newCheck(at);
    for (const at of places) await run.#newPolicy(at);
    for (const at of apiSessionPlaces) await run.#signIn(at);
    return run;
  }

  /** Does one step on one of the controllers, and compares what all of them say with the plain evaluation. */
  async step(step: Step): Promise<void> {
    this.counts.set(step.kind, (this.counts.get(step.kind) ?? 0) + 1);
    try {
      await this.#apply(step);
      this.#loseRights();
      await this.#compare(step);
    } catch (cause) {
      const sessions = Object.fromEntries(this.#world.sessions);
      throw new Error(`after ${JSON.stringify(step)}: ${JSON.stringify({ ...this.#world, sessions })}`, { cause });
    }
  }

  async #compare(step: Step): Promise<void> {
    this.#turn += 1;
    // A controller must also know a new right when it is the first thing that it is asked for.
    if (this.#turn % 2 === 0) await this.#open();
    await this.#compareSessions();
    await this.#compareUpdates(step);
    await this.#open();
    this.#turn += 1;
    await this.#compareSessions();
    this.#turn += 1;
  }

  get #now(): number {
    return this.#time.now();
  }

  #loseRights(): void {
    const before = this.#world.sessions.size;
    this.#world = withoutLost(this.#world, this.#now);
    this.lost += before - this.#world.sessions.size;
  }

  /** One changes something, and the next one must know it at once. */
  #server(): TestController {
    return this.#servers[this.#turn % this.#servers.length]!;
  }

  async #send(method: string, path: string, body?: object) {
    const {
      status,
      text,
      body: response,
    } = await this.#server().wire(method, `/edge/management/v1${path}`, {
      token: this.#network.admin,
      ...(body && { body }),
    });
    expect(status, text).toBeLessThan(300);
    return response.data;
  }

  async #as(at: number, method: string, path: string, body?: object) {
    return await this.#server().wire(method, `/edge/client/v1${path}`, {
      token: this.#tokens[at]!,
      ...(body && { body }),
    });
  }

  #apply(step: Step): Promise<unknown> {
    if (isOfRouters(step)) {
      const ids = { identities: this.#users.map(({ id }) => id), services: this.#ids.services };
      return this.#routers.apply(step, { send: (...call) => this.#send(...call), ids });
    }
    switch (step.kind) {
      case 'attributes of an identity':
        return this.#setIdentity(step);
      case 'attributes of a service':
        this.#world = { ...this.#world, services: this.#world.services.with(step.at, step.roleAttributes) };
        return this.#send('PATCH', `/services/${this.#ids.services[step.at]}`, { roleAttributes: step.roleAttributes });
      case 'attributes of a check':
        return this.#setCheck(step.at, { roleAttributes: step.roleAttributes });
      case 'check':
        return this.#setCheck(step.at, wantedOf(step));
      case 'policy':
        return this.#setPolicy(step);
      case 'new policy':
        return this.#replacePolicy(step.at);
      case 'new check':
        return this.#replaceCheck(step.at);
      case 'new service':
        return this.#replaceService(step.at);
      case 'new identity':
        return this.#replaceIdentity(step.at);
      case 'response':
        return this.#respond(step);
      case 'code':
        return this.#sendCode(step.at);
      case 'TOTP':
        return this.#changeTotp(step.at);
      case 'end of a session':
        return this.#endSession(step);
      case 'sign-out':
        return this.#signOut(step.at);
      case 'time':
        return this.#time.pass(step.seconds * 1_000);
    }
  }

  async #setIdentity({ at, roleAttributes }: StepOf<'attributes of an identity'>) {
    const identity = { ...this.#world.identities[at]!, roleAttributes };
    this.#world = { ...this.#world, identities: this.#world.identities.with(at, identity) };
    await this.#send('PATCH', `/identities/${this.#users[at]!.id}`, { roleAttributes });
  }

  async #setCheck(at: number, change: { roleAttributes: readonly string[] } | Wanted) {
    const changed = { ...this.#world.checks[at]!, ...change };
    this.#world = { ...this.#world, checks: this.#world.checks.with(at, changed) };
    const { roleAttributes, id } = changed;
    await this.#send('PATCH', `/posture-checks/${id}`, { ...bodyOf(changed), roleAttributes });
  }

  async #setPolicy({ at, change }: StepOf<'policy'>) {
    const { policies } = this.#world;
    this.#world = { ...this.#world, policies: policies.with(at, { ...policies[at]!, ...change }) };
    await this.#send('PATCH', `/service-policies/${this.#ids.policies[at]}`, { ...change, ...this.#withIds(change) });
  }

  /** The roles of a policy as the controller takes them. */
  #withIds({ identityRoles, serviceRoles, postureCheckRoles }: Partial<ModelPolicy>) {
    const idsOf = (entities: readonly { readonly id: string }[]) => entities.map(({ id }) => id);
    return {
      identityRoles: identityRoles && withIds(identityRoles, idsOf(this.#users)),
      serviceRoles: serviceRoles && withIds(serviceRoles, this.#ids.services),
      postureCheckRoles: postureCheckRoles && withIds(postureCheckRoles, idsOf(this.#world.checks)),
    };
  }

  async #replacePolicy(at: number) {
    await this.#send('DELETE', `/service-policies/${this.#ids.policies[at]}`);
    const deleted = { ...this.#world.policies[at]!, identityRoles: [] };
    this.#world = { ...this.#world, policies: this.#world.policies.with(at, deleted) };
    // The new one does not bring back what this one takes away.
    this.#loseRights();
    await this.#newPolicy(at);
  }

  async #newPolicy(at: number) {
    const policy = newPolicy(at);
    const policies = [...this.#world.policies];
    policies[at] = policy;
    this.#world = { ...this.#world, policies };
    this.#ids.policies[at] = await this.#network.addPolicy({ ...policy, ...this.#withIds(policy) });
  }

  async #newCheck(at: number) {
    const wanted = firstChecks[at]!;
    const checks = [...this.#world.checks];
    checks[at] = { id: await this.#network.addCheck(bodyOf(wanted)), roleAttributes: [], ...wanted };
    this.#world = { ...this.#world, checks };
  }

  async #replaceCheck(at: number) {
    await this.#send('DELETE', `/posture-checks/${this.#world.checks[at]!.id}`);
    this.#world = withoutRole(this.#world, 'postureCheckRoles', at);
    await this.#newCheck(at);
  }

  async #replaceService(at: number) {
    await this.#send('DELETE', `/services/${this.#ids.services[at]}`);
    this.#world = withoutRole(this.#world, 'serviceRoles', at);
    this.#routers.dropRole('services', at);
    this.#world = withSessions(this.#world, ({ service }) => service !== at);
    this.#world = { ...this.#world, services: this.#world.services.with(at, attributes) };
    this.#ids.services[at] = await this.#network.addService(attributes);
  }

  async #replaceIdentity(at: number) {
    await this.#send('DELETE', `/identities/${this.#users[at]!.id}`);
    this.#world = withoutRole(this.#world, 'identityRoles', at);
    this.#routers.dropRole('identities', at);
    const { identities } = this.#world;
    this.#world = { ...this.#world, identities: identities.with(at, newIdentity) };
    this.#users[at] = await this.#network.addUser(attributes);
    for (const session of apiSessionPlaces) if (session % places.length === at) await this.#signIn(session);
  }

  #setDevice(at: number, change: Partial<ModelApiSession>) {
    const { apiSessions } = this.#world;
    this.#world = { ...this.#world, apiSessions: apiSessions.with(at, { ...apiSessions[at]!, ...change }) };
  }

  async #signIn(at: number) {
    const identity = at % places.length;
    this.#tokens[at] = await this.#network.signIn(this.#users[identity]!);
    this.#world = withSessions(this.#world, ({ apiSession: of }) => of !== at);
    this.#world = { ...this.#world, apiSessions: this.#world.apiSessions.with(at, noDevice(identity)) };
    if (at === 0) this.#shown = null;
  }

  async #signOut(at: number) {
    expect((await this.#as(at, 'DELETE', '/current-api-session')).status).toBe(200);
    await this.#signIn(at);
  }

  async #respond({ at, check: checkAt, value }: StepOf<'response'>) {
    const { id, typeId } = this.#world.checks[checkAt]!;
    const now = this.#now;
    const device = this.#world.apiSessions[at]!;
    const { status, text } = await this.#as(at, 'POST', '/posture-response', responseOf(id, typeId, value));
    if (!isFull(this.#world, device)) return expect(status).toBe(401);
    expect(status, text).toBe(201);
    if (typeId === 'DOMAIN') this.#setDevice(at, { domain: domains[value]! });
    if (typeId === 'OS') this.#setDevice(at, { version: value });
    if (typeId === 'PROCESS') this.#setDevice(at, { runsFor: value > 0 ? id : null });
    // The first time counts that no code has answered.
    const isAnswered = device.wokenAt === null || device.wokenAt <= (this.#passOf(device)?.at ?? 0);
    if (typeId === 'MFA' && isAnswered) this.#setDevice(at, { wokenAt: now });
  }

  /** The code that counts for the TOTP that the identity has now. */
  #passOf({ identity, passed }: ModelApiSession) {
    return passed?.totp === this.#world.identities[identity]!.totp ? passed : null;
  }

  async #sendCode(at: number) {
    const { totp } = this.#world.identities[at % places.length]!;
    if (totp === null) return;
    const code = await this.#totps.get(totp)!.next();
    // Waiting for the code may have ended something.
    this.#loseRights();
    const { status, text } = await this.#as(at, 'POST', '/authenticate/mfa', { code });
    expect(status, text).toBe(200);
    this.#setDevice(at, { passed: { totp, at: this.#now } });
  }

  async #changeTotp(at: number) {
    const identity = at % places.length;
    const known = this.#world.identities[identity]!;
    if (known.totp !== null) {
      await this.#send('DELETE', `/identities/${this.#users[identity]!.id}/mfa`);
      return this.#setTotp(identity, null);
    }
    const number = this.#totps.size;
    const { totp } = await enrollTotp(this.#server().wire, this.#tokens[at]!, { time: this.#time });
    this.#totps.set(number, totp);
    this.#setTotp(identity, number);
    this.#setDevice(at, { passed: { totp: number, at: this.#now } });
  }

  #setTotp(at: number, totp: number | null) {
    const { identities } = this.#world;
    this.#world = { ...this.#world, identities: identities.with(at, { ...identities[at]!, totp }) };
  }

  async #endSession({ at, byOwner }: StepOf<'end of a session'>) {
    const [id, session] = [...this.#world.sessions][at % Math.max(this.#world.sessions.size, 1)] ?? [];
    if (id === undefined || !session) return;
    if (byOwner) expect((await this.#as(session.apiSession, 'DELETE', `/sessions/${id}`)).status).toBe(200);
    else await this.#send('DELETE', `/sessions/${id}`);
    const sessions = new Map(this.#world.sessions);
    sessions.delete(id);
    this.#world = { ...this.#world, sessions };
  }

  /** Every API session asks for all that it may use and does not have yet, and for something else. */
  async #open() {
    const known = new Set([...this.#world.sessions.values()].map(textOf));
    const number = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    const sessions = new Map(this.#world.sessions);
    for (const [at, wanted] of allSessions.entries()) {
      const judged = this.#judgeOpening(wanted);
      const isNew = judged === 'passing' && !known.has(textOf(wanted));
      if (!isNew && at % allSessions.length !== (number * 7) % allSessions.length) continue;
      const body = { serviceId: this.#ids.services[wanted.service]!, type: wanted.type };
      const response = await this.#as(wanted.apiSession, 'POST', '/sessions', body);
      expect(response.status, `${textOf(wanted)} ${response.text}`).toBe(statuses[judged]);
      if (judged !== 'passing') continue;
      const { id } = response.body.data;
      expect(sessions.has(id)).toBe(!isNew);
      sessions.set(id, wanted);
    }
    this.#world = { ...this.#world, sessions };
  }

  /** A session begins only where there is a router. It lives on without one. */
  #judgeOpening(wanted: ModelSession) {
    const judged = judge(this.#world, wanted, this.#now);
    return judged === 'passing' && this.#routersOf(wanted).length === 0 ? 'no router' : judged;
  }

  #routersOf({ apiSession, service }: ModelSession): readonly string[] {
    return this.#routers.namesOf(this.#world, { identity: apiSession % places.length, service });
  }

  async #compareSessions() {
    const idsOf = (sessions: readonly { readonly id: string }[]) => sessions.map(({ id }) => id).toSorted();
    const expected = [...this.#world.sessions];
    for (const [at, session] of this.#world.apiSessions.entries()) {
      const { status, body } = await this.#as(at, 'GET', '/sessions?limit=500');
      const full = isFull(this.#world, session);
      expect(status).toBe(full ? 200 : 401);
      const own = expected.filter(([, { apiSession: of }]) => of % places.length === session.identity);
      if (full) expect(idsOf(body.data)).toEqual(own.map(([id]) => id).toSorted());
    }
    const all = await this.#send('GET', '/sessions?limit=500');
    expect(idsOf(all)).toEqual(expected.map(([id]) => id).toSorted());
    for (const { id, edgeRouters } of all) {
      const names = edgeRouters.map(({ name }: { readonly name: string }) => name).toSorted();
      expect(names).toEqual(this.#routersOf(this.#world.sessions.get(id)!));
    }
  }

  /** The time of the last change moves with what the services show, for the first API session. */
  async #compareUpdates({ kind }: Step) {
    if (!isFull(this.#world, this.#world.apiSessions[0]!)) {
      this.#shown = null;
      return;
    }
    const updates = await this.#as(0, 'GET', '/current-api-session/service-updates');
    const { lastChangeAt } = updates.body.data;
    const services = await this.#as(0, 'GET', '/services?limit=500&sort=id');
    const text = services.text.replaceAll(/"timeoutRemaining":-?\d+/g, '').replace(/"requestId":"[^"]*"/, '');
    const before = this.#shown;
    this.#shown = { text, lastChangeAt };
    if (before === null) return;
    if (text !== before.text) expect(Date.parse(lastChangeAt)).toBeGreaterThan(Date.parse(before.lastChangeAt));
    else if (ofPosture.has(kind)) expect(lastChangeAt, text).toBe(before.lastChangeAt);
  }
}

const textOf = ({ apiSession, service, type }: ModelSession) => `${apiSession} ${service} ${type}`;
