import type { CreateTerminatorRequest, CreateTerminatorResponse } from '@edge-controller/router-messages';
import {
  CreateTerminatorResult,
  decode,
  encode,
  TerminatorPrecedence,
  ValidateTerminatorsRequestSchema,
  ValidateTerminatorsResponseSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { InstanceIdTaken } from '../../access/service-access/instance-id-taken.ts';
import type { ServiceAccess } from '../../access/service-access/service-access.ts';
import type { ServiceSessions } from '../../access/service-sessions/service-sessions.ts';
import type { Logger } from '../../core/log/log.ts';
import type { Caller } from '../../crud/dependencies.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity, deleteEntity, setFields } from '../../crud/write.ts';
import type { StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';
import type { AuthorizationProblem, Authorizer, Presented } from '../authorize.ts';
import { problems } from '../authorize.ts';
import type { LiveRouter } from '../live-router.ts';
import type { SessionUse } from '../session-use.ts';
import { mayUseRouter } from '../session-use.ts';
import type { HostedTerminator, PeerData } from './hosted-terminators.ts';
import { countOfHost, findTerminators, peerDataText, terminatorsOfRouter } from './hosted-terminators.ts';
import type { LiveTerminator } from './live-terminators.ts';
import { LiveTerminators } from './live-terminators.ts';

const maxCost = 65_535;
/** Routers make ids of 22 letters and digits. A URL cannot have `.` or `..` as the name of something. */
const idPattern = /^(?!\.{1,2}$)[0-9A-Za-z._~-]{1,100}$/;
const maxInstanceIdLength = 500;
/** Terminators of one identity at a service: whoever dials the service reads them all. */
const maxPerHost = 1_000;
/** Bytes of the values of peer data. */
const maxPeerData = 10_000;
const validationTimeout = 30_000;
/** Terminators in one message of validation. */
const validationSize = 500;
const binding = 'edge';
/** Of adding a terminator whose instance id somebody has who may not host any more. */
const maxAttempts = 2;

const precedences = {
  [TerminatorPrecedence.DEFAULT]: 'default',
  [TerminatorPrecedence.REQUIRED]: 'required',
  [TerminatorPrecedence.FAILED]: 'failed',
} as const;

interface TerminatorsOptions extends Caller {
  readonly authorizer: Authorizer;
  readonly sessions: SessionStore;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
  readonly log: Logger;
}

export type TerminatorAnswer = Pick<CreateTerminatorResponse, 'result' | 'msg'> & {
  /** Why an application may not host. */
  readonly problem?: AuthorizationProblem;
};

/** A terminator with what its host sends to those who dial. */
interface Offer extends HostedTerminator {
  readonly peerData: PeerData;
}

/** What an application changes of its terminator. */
export interface TerminatorChange extends Presented {
  readonly id: string;
  readonly cost?: number;
  readonly precedence?: TerminatorPrecedence;
}

/** The ends of paths to services, which applications make through the routers. */
export class Terminators {
  readonly #parts: TerminatorsOptions;
  /** Of the routers that are connected to this controller. */
  readonly #live = new LiveTerminators();

  constructor(parts: TerminatorsOptions) {
    this.#parts = parts;
  }

  /** The sessions of services that host through the routers of this controller. */
  inUse(): Iterable<SessionUse> {
    return this.#live.all();
  }

  /** A router has left. Its terminators stay, until it connects again. */
  forget(routerId: string): void {
    for (const { id } of this.#live.of('routerId', routerId)) this.#live.delete(id);
  }

  /** Removes the terminators of ended sessions of services, or of ended API sessions, at the routers of this controller. */
  async end(kind: 'sessionId' | 'apiSessionId', ids: readonly string[]): Promise<void> {
    for (const id of ids) for (const terminator of this.#live.of(kind, id)) await this.#delete(terminator.id);
  }

  /** Whether a session hosts something at a router of this controller. */
  hosts(use: SessionUse): boolean {
    return this.#liveAt(use).length > 0;
  }

  /** Removes what a session hosts at a router of this controller. */
  async endAt(use: SessionUse): Promise<void> {
    for (const { id } of this.#liveAt(use)) await this.#delete(id);
  }

  /** Makes a terminator, or says why not. A router asks again for one that it has made. */
  async create(router: LiveRouter, request: CreateTerminatorRequest): Promise<TerminatorAnswer> {
    const { address: id, sessionToken, apiSessionToken, cost, precedence, instanceId } = request;
    const authorized = await this.#parts.authorizer.authorize(router.id, { sessionToken, apiSessionToken }, 'Bind');
    if ('problem' in authorized) {
      const { problem } = authorized;
      const isGone = problem === problems.session || problem === problems.apiSession;
      return { result: CreateTerminatorResult[isGone ? 'INVALID_SESSION' : 'OTHER'], msg: problem.text, problem };
    }
    const fault = faultOf(request);
    if (fault !== null) return { result: CreateTerminatorResult.OTHER, msg: fault };
    const { session } = authorized.valid;
    const { id: sessionId, serviceId, apiSession } = session;
    const peerData = new Map(Object.entries(request.peerData).map(([key, value]) => [Number(key), value]));
    const answer = await this.#keep({
      ...{ id, serviceId, routerId: router.id, instanceId, cost, peerData },
      ...{ precedence: precedences[precedence], sessionId, hostId: apiSession.identityId },
    });
    if (answer !== success) return answer;
    this.#live.set({ id, routerId: router.id, sessionId, apiSessionId: apiSession.id, session });
    // It may have ended while the terminator was made, or lost the router.
    const isValid = (await this.#parts.serviceSessions.validate([session])).length > 0;
    if (isValid && (await mayUseRouter(this.#parts.serviceAccess, { session, routerId: router.id }))) return success;
    await this.#delete(id);
    const problem = isValid ? problems.router : problems.session;
    return { result: CreateTerminatorResult[isValid ? 'OTHER' : 'INVALID_SESSION'], msg: problem.text, problem };
  }

  /** Changes the cost or the precedence of a terminator of this router. `null`: it is changed; else why not. */
  async update(
    router: LiveRouter,
    { id, cost, precedence, ...presented }: TerminatorChange,
  ): Promise<AuthorizationProblem | null> {
    const authorized = await this.#parts.authorizer.authorize(router.id, presented, 'Bind');
    if ('problem' in authorized) return authorized.problem;
    const [terminator] = await findTerminators(this.#parts.database, [id]);
    const isOwn = terminator?.routerId === router.id && terminator.sessionId === authorized.valid.session.id;
    if (!isOwn) return problems.terminator;
    if (precedence !== undefined && !(precedence in precedences)) return problems.precedence;
    if (cost !== undefined && cost > maxCost) return problems.cost;
    const next = {
      ...(cost !== undefined && { cost }),
      ...(precedence !== undefined && { precedence: precedences[precedence] }),
    };
    await inUnitOfWork(this.#parts, (unit) => setFields(unit, 'terminators', id, () => next), { isOwn: true });
    return null;
  }

  /** Removes terminators of a router. Those that are unknown, or of another router, are left alone. */
  async remove(routerId: string, ids: readonly string[]): Promise<void> {
    const found = await findTerminators(this.#parts.database, ids);
    for (const { id } of found.filter((one) => one.routerId === routerId)) await this.#delete(id);
  }

  /**
   * Asks a router that has connected which of its terminators it still has, and removes the others. A router that was restarted has
   * none. Those whose session has ended, or may not use the router any more, go, too.
   */
  async validate(router: LiveRouter): Promise<void> {
    const stored = await terminatorsOfRouter(this.#parts.database, router.id);
    const live = await this.#removeEnded(stored);
    for (const terminator of live) this.#live.set(terminator);
    for (let at = 0; at < live.length; at += validationSize) {
      await this.#validate(router, live.slice(at, at + validationSize));
    }
  }

  /** Removes those whose session does not live or may not use the router, and returns the others. */
  async #removeEnded(terminators: readonly HostedTerminator[]): Promise<readonly LiveTerminator[]> {
    const valid = await this.#validSessions(terminators);
    const live: LiveTerminator[] = [];
    for (const { id, routerId, sessionId } of terminators) {
      const session = valid.get(sessionId);
      if (session && (await mayUseRouter(this.#parts.serviceAccess, { session, routerId })))
        live.push({ id, routerId, sessionId, apiSessionId: session.apiSession.id, session });
      else await this.#delete(id);
    }
    return live;
  }

  /** Those of their sessions that live, by their ids. */
  async #validSessions(terminators: readonly HostedTerminator[]): Promise<ReadonlyMap<string, StoredServiceSession>> {
    const { sessions, serviceSessions } = this.#parts;
    const ids = [...new Set(terminators.map(({ sessionId }) => sessionId))];
    const found = await Promise.all(ids.map((id) => sessions.serviceSessions.find(id)));
    const valid = await serviceSessions.validate(found.filter((session) => session !== null));
    return new Map(valid.map(({ session }) => [session.id, session]));
  }

  async #validate(router: LiveRouter, terminators: readonly LiveTerminator[]): Promise<void> {
    const asked = terminators.map(({ id }, marker) => ({ id, binding, address: id, marker: BigInt(marker) }));
    const body = encode(ValidateTerminatorsRequestSchema, { terminators: asked, fixInvalid: true });
    const isReply = ({ type }: Frame) => type === controlTypes.validateTerminatorsResponse;
    const message = { type: controlTypes.validateTerminators, body };
    const reply = await router.channel.request(message, validationTimeout, isReply);
    if (reply === null) return;
    const { states } = decode(ValidateTerminatorsResponseSchema, reply.body);
    // One that was made again meanwhile stays.
    const invalid = terminators.filter((one) => states[one.id]?.valid === false && this.#live.get(one.id) === one);
    for (const { id } of invalid) await this.#delete(id);
  }

  #liveAt({ session, routerId }: SessionUse): readonly LiveTerminator[] {
    return this.#live.of('sessionId', session.id).filter((one) => one.routerId === routerId);
  }

  async #keep(terminator: Offer): Promise<TerminatorAnswer> {
    const [known] = await findTerminators(this.#parts.database, [terminator.id]);
    if (!known) return await this.#add(terminator);
    const isSame =
      known.serviceId === terminator.serviceId &&
      known.routerId === terminator.routerId &&
      known.hostId === terminator.hostId;
    if (!isSame) {
      return { result: CreateTerminatorResult.ID_CONFLICT, msg: 'the id is that of another terminator' };
    }
    const { id, cost, precedence, sessionId, peerData } = terminator;
    await inUnitOfWork(
      this.#parts,
      async (unit) => {
        await setFields(unit, 'terminators', id, () => ({ cost, precedence }));
        const host = { sessionId, peerData: peerDataText(peerData) };
        await unit.tx.updateTable('terminatorHosts').set(host).where('terminatorId', '=', id).execute();
      },
      { isOwn: true },
    );
    return success;
  }

  /** An instance id is that of one host, as long as this host may host. */
  async #add(terminator: Offer): Promise<TerminatorAnswer> {
    if ((await countOfHost(this.#parts.database, terminator)) >= maxPerHost)
      return { result: CreateTerminatorResult.OTHER, msg: 'too many terminators of the identity at the service' };
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const holders = await this.#insert(terminator);
      if (holders.length === 0) return success;
      const hosted = await findTerminators(this.#parts.database, holders);
      if ((await this.#removeEnded(hosted)).length > 0) break;
    }
    return { result: CreateTerminatorResult.OTHER, msg: 'the instance id is that of another host' };
  }

  /** Returns the terminators of another host with the same instance id. If there are some, nothing is added. */
  async #insert(terminator: Offer): Promise<readonly string[]> {
    const { id, serviceId, routerId, instanceId, cost, precedence } = terminator;
    const { sessionId, hostId, peerData } = terminator;
    const body = {
      ...{ service: serviceId, router: routerId, binding, address: id, cost, precedence },
      identity: instanceId,
    };
    const work = inUnitOfWork(
      this.#parts,
      async (unit) => {
        await createEntity(unit, 'terminators', body, { id, fields: { hostId } });
        const row = { terminatorId: id, sessionId, hostId, peerData: peerDataText(peerData) };
        await unit.tx.insertInto('terminatorHosts').values(row).execute();
        return [];
      },
      { isOwn: true },
    );
    return await work.catch((error: unknown) => {
      if (error instanceof InstanceIdTaken) return error.holders;
      throw error;
    });
  }

  async #delete(id: string): Promise<void> {
    this.#live.delete(id);
    try {
      await inUnitOfWork(this.#parts, (unit) => deleteEntity(unit, 'terminators', id), { isOwn: true });
    } catch (error) {
      // Somebody else may have been faster.
      const [still] = await findTerminators(this.#parts.database, [id]);
      if (still) throw error;
    }
  }
}

const success: TerminatorAnswer = { result: CreateTerminatorResult.SUCCESS, msg: '' };

function faultOf({ address, cost, precedence, instanceId, peerData }: CreateTerminatorRequest): string | null {
  if (!idPattern.test(address)) return 'invalid terminator id';
  if (cost > maxCost) return 'invalid cost';
  if (!(precedence in precedences)) return 'invalid precedence';
  if (instanceId.length > maxInstanceIdLength) return 'the identity of the terminator is too long';
  if (instanceId.includes('\0')) return 'invalid identity of the terminator';
  const bytes = Object.values(peerData).reduce((sum, value) => sum + value.length, 0);
  return bytes > maxPeerData ? 'the peer data are too long' : null;
}
