import type { ClientCalls } from '../api/generated/calls.ts';
import type { ServiceSessions } from '../api/service-sessions.ts';
import type { ServiceChangesOptions, Services } from '../api/services.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import type { PostureParts } from '../posture/posture-answers.ts';
import { PostureAnswers } from '../posture/posture-answers.ts';
import { ServiceChanges } from './service-changes.ts';
import type { WatchParts } from './service-watch.ts';
import { ServiceWatch } from './service-watch.ts';

/** What services and their sessions need of a client. */
interface ServiceParts extends PostureParts, Omit<WatchParts, 'posture' | 'client' | 'manager'> {
  readonly options: PostureParts['options'] & WatchParts['options'];
  readonly client: ClientCalls;
  readonly manager: WatchParts['manager'];
}

export interface CreatedServices extends Pick<Services, 'list'> {
  readonly sessions: ServiceSessions;
  /** One iteration. `isWanted`: whether nobody has signed out since it was asked for. */
  readonly changes: (options: ServiceChangesOptions, isWanted: () => boolean) => ServiceChanges;
}

/** Creates `edge.services` and `edge.sessions`. Both remember the same answers to posture queries. */
export function createServices(parts: ServiceParts): CreatedServices {
  const { services, sessions } = parts.client;
  const posture = new PostureAnswers(parts);
  const watch = new ServiceWatch({ ...parts, posture });

  const list: Services['list'] = async (query, options) => {
    const page = await services.list(query, options);
    return (await posture.answer(page.data, options)) ? services.list(query, options) : page;
  };

  const create: ServiceSessions['create'] = async (session, options) => {
    try {
      return await sessions.create(session, options);
    } catch (error) {
      if (!isEdgeApiError(error, 'INVALID_POSTURE') || !session.serviceId || !parts.options.posture) throw error;
      posture.forget();
      if (!(await posture.answer([await services.get(session.serviceId, options)], options))) throw error;
      return sessions.create(session, options);
    }
  };

  return {
    list,
    sessions: { create, list: sessions.list, get: sessions.get, delete: sessions.delete },
    changes: (options, isWanted) => new ServiceChanges(watch, options, isWanted),
  };
}
