import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass } from '../../test/support/pass-time.ts';
import { alice, iterate, loadIterations, signedIn } from '../../test/support/service-iterations.ts';
import { refusal, servicesController, serviceWith, usual } from '../../test/support/services-controller.ts';
import type { PostureProvider, PostureResponseCreate } from '../index.ts';

const minute = 60_000;
const linux = { type: 'Linux', version: '6.1.0' };
const query = (queryType: string, id = queryType) => ({ id, queryType, process: undefined, processes: null });
const processQuery = (id: string, path: string) => ({ ...query('PROCESS', id), process: { osType: 'Linux', path } });
const multiQuery = (id: string, ...paths: string[]) => ({
  ...query('PROCESS_MULTI', id),
  processes: paths.map((path) => ({ osType: 'Linux', path })),
});

beforeEach(async () => {
  await loadIterations();
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A client of a controller whose services ask. */
async function asked(posture: PostureProvider, ...queries: object[]) {
  const controller = servicesController();
  controller.change(serviceWith('wiki', ...queries));
  return signedIn({ posture }, controller);
}

const sentBy = ({ bodies }: { readonly bodies: readonly unknown[] }) => bodies as PostureResponseCreate[][];

describe('each kind of queries', () => {
  test('asks its function, and all answers are sent together', async () => {
    const process = vi.fn(({ path }: { path: string }) => ({ isRunning: path === '/a', hash: 'ff' }));
    const provider: PostureProvider = {
      os: async () => ({ ...linux, build: 'b' }),
      domain: () => 'CORP',
      mac: () => ['00:1b:44:11:3a:b7'],
      process,
    };
    const { edge, controller } = await asked(
      provider,
      ...['OS', 'DOMAIN', 'MAC', 'MFA'].map((kind) => query(kind)),
      ...[
        query('OS', 'second'),
        processQuery('p', '/a'),
        processQuery('q', '/a'),
        processQuery('p', '/a'),
        multiQuery('m', '/b', '/a'),
      ],
    );
    await edge.services.list();
    expect(sentBy(controller)).toEqual([
      [
        { id: 'OS', typeId: 'OS', ...linux, build: 'b' },
        { id: 'DOMAIN', typeId: 'DOMAIN', domain: 'CORP' },
        { id: 'MAC', typeId: 'MAC', macAddresses: ['00:1b:44:11:3a:b7'] },
        ...['p', 'q', 'm'].map((id) => ({ id, typeId: 'PROCESS', path: '/a', isRunning: true, hash: 'ff' })),
        { id: 'm', typeId: 'PROCESS', path: '/b', isRunning: false, hash: 'ff' },
      ],
    ]);
    expect(process.mock.calls).toEqual(
      ['/a', '/b'].map((path) => [{ path, osType: 'Linux', signal: expect.any(AbortSignal) }]),
    );
    edge.dispose();
  });

  test('that nobody asks for calls no function', async () => {
    const provider = { os: vi.fn(), domain: vi.fn(), mac: vi.fn(() => []), process: vi.fn() };
    const { edge, controller } = await asked(provider, query('MAC'));
    await edge.services.list();
    expect([provider.os, provider.domain, provider.process].flatMap(({ mock }) => mock.calls)).toEqual([]);
    expect(sentBy(controller)).toEqual([[{ id: 'MAC', typeId: 'MAC', macAddresses: [] }]]);
    edge.dispose();
  });

  test('calls the function with the provider as `this`', async () => {
    class Device implements PostureProvider {
      readonly #domain = 'CORP';
      domain = function (this: Device) {
        return this.#domain;
      };
    }
    const { edge, controller } = await asked(new Device(), query('DOMAIN'));
    await edge.services.list();
    expect(sentBy(controller)).toMatchObject([[{ domain: 'CORP' }]]);
    edge.dispose();
  });
});

describe('a function', () => {
  test('that does not know it, or is not there, gives no answer; an empty text is one', async () => {
    const provider = { os: () => null, mac: async () => undefined, domain: () => '' };
    const { edge, controller } = await asked(
      provider,
      ...['OS', 'MAC', 'DOMAIN'].map((kind) => query(kind)),
      processQuery('p', '/a'),
    );
    await edge.services.list();
    expect(sentBy(controller)).toEqual([[{ id: 'DOMAIN', typeId: 'DOMAIN', domain: '' }]]);
    edge.dispose();
  });

  test('that throws or rejects is reported, and the others are sent', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const controller = servicesController();
    controller.change(serviceWith('wiki', ...['OS', 'MAC', 'DOMAIN'].map((kind) => query(kind))));
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const errors = [new TypeError('a secret'), new Error('another one')] as const;
    const os = () => {
      throw errors[0];
    };
    const posture = { os, mac: () => Promise.reject(errors[1]), domain: () => 'CORP' };
    const { edge } = await signedIn({ posture, logger }, controller);
    expect((await edge.services.list()).data).toHaveLength(1);
    expect(sentBy(controller)).toMatchObject([[{ typeId: 'DOMAIN' }]]);
    await vi.waitFor(() => expect(reported.mock.calls).toEqual(errors.map((error) => [error])));
    expect(logger.error.mock.calls).toEqual([
      ['"os" of the posture provider failed: TypeError'],
      ['"mac" of the posture provider failed: Error'],
    ]);
    edge.dispose();
  });

  test('that hangs is aborted and reported after ten seconds, and the others are sent', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const signals: AbortSignal[] = [];
    const os = ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const { edge, controller } = await asked({ os, domain: () => 'CORP' }, query('OS'), query('DOMAIN'));
    const listed = edge.services.list();
    await pass(10_000);
    expect((await listed).data).toHaveLength(1);
    expect(sentBy(controller)).toMatchObject([[{ typeId: 'DOMAIN' }]]);
    expect(signals).toMatchObject([{ aborted: true, reason: { name: 'EdgeTimeoutError' } }]);
    await vi.waitFor(() => expect(reported).toHaveBeenCalledOnce());
    edge.dispose();
  });

  test('is aborted with the call, which rejects at once', async () => {
    const os = vi.fn((_request: { signal: AbortSignal }) => new Promise<never>(() => undefined));
    const { edge, controller } = await asked({ os }, query('OS'));
    const aborter = new AbortController();
    const listed = edge.services.list({}, { signal: aborter.signal });
    const waiting = edge.services.list({}, { signal: aborter.signal });
    listed.catch(() => undefined);
    await vi.waitFor(() => expect(os).toHaveBeenCalledOnce());
    aborter.abort(new Error('enough'));
    for (const one of [listed, waiting]) await expect(one).rejects.toThrow('enough');
    expect(os.mock.lastCall?.[0].signal.aborted).toBe(true);
    expect(sentBy(controller)).toEqual([]);
    edge.dispose();
  });

  test('with a misspelled name is refused', async () => {
    const misspelled: object = { domains: () => 'CORP' };
    const { edge } = await asked(misspelled, query('DOMAIN'));
    await expect(edge.services.list()).rejects.toThrow('did you mean "domain"?');
    edge.dispose();
  });
});

describe('answers', () => {
  test('are sent before the list is read again, and only when they differ from those that were sent', async () => {
    let version = '6.1.0';
    const provider = { os: () => ({ type: 'Linux', version }), domain: () => 'CORP' };
    const { edge, controller } = await asked(provider, query('OS'), query('DOMAIN'));
    await edge.services.list();
    expect(controller.seen).toEqual(['GET services', 'POST posture-response-bulk', 'GET services']);
    await edge.services.list({ limit: 5 });
    expect(controller.seen.slice(3)).toEqual(['GET services?limit=5']);
    version = '6.2.0';
    controller.change(serviceWith('wiki', query('OS', 'another'), query('DOMAIN', 'another')));
    await edge.services.list();
    expect(sentBy(controller)[1]).toEqual([{ id: 'another', typeId: 'OS', type: 'Linux', version: '6.2.0' }]);
    edge.dispose();
  });

  test('are sent once, although two calls ask at the same time', async () => {
    const { edge, controller } = await asked({ domain: () => 'CORP' }, query('DOMAIN'));
    await Promise.all([edge.services.list(), edge.services.list()]);
    expect(sentBy(controller)).toHaveLength(1);
    edge.dispose();
  });

  test('are sent again in another session, and after a failure', async () => {
    const { edge, controller } = await asked({ domain: () => 'CORP' }, query('DOMAIN'));
    controller.responses.push(usual, refusal(503, 'SERVICE_UNAVAILABLE'));
    await expect(edge.services.list()).rejects.toMatchObject({ status: 503 });
    await edge.services.list();
    expect(sentBy(controller)).toHaveLength(2);
    await edge.signIn.password(alice);
    await edge.services.list();
    expect(sentBy(controller)).toHaveLength(3);
    edge.dispose();
  });

  test('are all sent to the session that replaces another one meanwhile', async () => {
    const controller = servicesController();
    controller.change(serviceWith('wiki', query('DOMAIN'), query('MAC')));
    let domain = 'A';
    const { edge } = await signedIn(
      {
        posture: { domain: () => domain, mac: () => [] },
        reauthenticate: (): Promise<unknown> => edge.signIn.password(alice),
      },
      controller,
    );
    await edge.services.list();
    domain = 'B';
    // It ends between the list and the answers.
    controller.responses.push(usual, () => controller.live.clear());
    await edge.services.list();
    expect(edge.session?.id).toBe('id-of-token-2');
    expect(sentBy(controller).at(-1)).toMatchObject([{ typeId: 'DOMAIN', domain: 'B' }, { typeId: 'MAC' }]);
    edge.dispose();
  });

  test('of more than a hundred processes go in several requests', async () => {
    const queries = Array.from({ length: 250 }, (_, at) => processQuery(`p${at}`, `/${at}`));
    const { edge, controller } = await asked({ process: () => ({ isRunning: true }) }, ...queries);
    await edge.services.list();
    expect(sentBy(controller).map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(
      sentBy(controller)
        .flat()
        .map(({ id }) => id),
    ).toEqual(queries.map(({ id }) => id));
    edge.dispose();
  });

  test('that the controller refuses are the error of the call', async () => {
    const { edge, controller } = await asked({ domain: () => 'CORP' }, query('DOMAIN'));
    controller.responses.push(usual, refusal(400, 'COULD_NOT_VALIDATE'));
    await expect(edge.services.list()).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
    edge.dispose();
  });
});

describe('an iteration over the changes', () => {
  test('asks at each poll, sends what differs, and then looks whether the list has changed', async () => {
    let domain = 'A';
    const provider = { domain: vi.fn(() => domain), os: () => linux };
    const { edge, controller } = await asked(provider, query('DOMAIN'), query('OS'));
    const { lists } = iterate(edge);
    await pass(100);
    const updates = 'GET current-api-session/service-updates?touch=false';
    const list = 'GET services?limit=100&offset=0';
    const send = 'POST posture-response-bulk';
    expect(controller.seen).toEqual([updates, list, send, updates]);
    expect(lists).toEqual(['wiki']);
    await pass(2 * minute);
    expect(controller.seen.slice(4)).toEqual([updates, updates]);
    expect(provider.domain).toHaveBeenCalledTimes(3);
    domain = 'B';
    await pass(minute);
    expect(controller.seen.slice(6)).toEqual([updates, send, updates]);
    expect(sentBy(controller)[1]).toEqual([{ id: 'DOMAIN', typeId: 'DOMAIN', domain: 'B' }]);
    expect(lists).toEqual(['wiki']);
    edge.dispose();
  });

  test('gets the list once, when the answers have changed it', async () => {
    const { edge, controller } = await asked({ domain: () => 'A' }, query('DOMAIN'));
    controller.responses.push(usual, usual, () => controller.change(serviceWith('open', query('DOMAIN'))));
    const { lists } = iterate(edge);
    await pass(100);
    expect([controller.lists(), lists]).toEqual([2, ['open']]);
    edge.dispose();
  });

  test('goes on when the answers cannot be sent for a while', async () => {
    const { edge, controller } = await asked({ domain: () => 'A' }, query('DOMAIN'));
    controller.responses.push(usual, usual, refusal(503, 'SERVICE_UNAVAILABLE'));
    const { lists } = iterate(edge);
    await pass(10_000);
    expect([sentBy(controller).length, lists]).toEqual([2, ['wiki']]);
    edge.dispose();
  });
});

describe('a session for a service', () => {
  const created = () => Response.json({ data: { id: 's', token: 't', edgeRouters: [] }, meta: {} }, { status: 201 });
  const service = (...queries: object[]) => Response.json({ data: serviceWith('wiki', ...queries), meta: {} });
  const failing = refusal(409, 'INVALID_POSTURE');

  test('that posture checks refuse is asked for once more, after all answers were sent', async () => {
    const { edge, controller } = await asked({ domain: () => 'A' }, query('DOMAIN'));
    await edge.services.list();
    controller.responses.push(failing.clone(), service(query('DOMAIN')), usual, created());
    expect(await edge.sessions.create({ serviceId: 'wiki', type: 'Dial' })).toMatchObject({ id: 's', token: 't' });
    expect(controller.seen.slice(3)).toEqual([
      ...['POST sessions', 'GET services/wiki', 'POST posture-response-bulk', 'POST sessions'],
    ]);
    edge.dispose();
  });

  test('is asked for once more only', async () => {
    const { edge, controller } = await asked({ domain: () => 'A' }, query('DOMAIN'));
    controller.responses.push(failing.clone(), service(query('DOMAIN')), usual, failing.clone());
    await expect(edge.sessions.create({ serviceId: 'wiki' })).rejects.toMatchObject({ code: 'INVALID_POSTURE' });
    expect(controller.seen).toHaveLength(4);
    edge.dispose();
  });

  test.each([
    ['there is no provider', undefined, 1],
    ['the provider knows nothing', {}, 2],
  ])('is refused at once when %s', async (_why, posture, requests) => {
    const { edge, controller } = await signedIn({ posture });
    controller.responses.push(failing.clone(), service(query('DOMAIN')));
    await expect(edge.sessions.create({ serviceId: 'wiki' })).rejects.toMatchObject({ code: 'INVALID_POSTURE' });
    expect(controller.seen).toHaveLength(requests);
    edge.dispose();
  });

  test('has the other calls of the Client API', async () => {
    const { edge, controller } = await signedIn();
    await edge.sessions.list({ limit: 2 });
    controller.responses.push(created(), Response.json({ data: {}, meta: {} }));
    expect(await edge.sessions.get('s')).toMatchObject({ id: 's' });
    await edge.sessions.delete('s');
    expect(controller.seen).toEqual(['GET sessions?limit=2', 'GET sessions/s', 'DELETE sessions/s']);
    edge.dispose();
  });
});
