import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../core/api-error.ts';
import { builtInConfigTypes } from '../../storage/entity-store/migrations/built-in-config-types.ts';
import { JsonSchemas } from './json-schemas.ts';
import { SchemaChecks } from './schema-checks.ts';
import { withinTime } from './within-time.ts';

const schemas = new JsonSchemas();
afterAll(() => schemas.close());
let identities = 0;

/** The reason of the error, or undefined. `isKnown` learns first what is not known yet. */
async function refusal(isKnown: () => boolean, learn: (identityId: string) => Promise<void>) {
  try {
    if (isKnown()) return undefined;
    // Each has its own time.
    identities += 1;
    await learn(`identity ${identities}`);
    expect(isKnown()).toBe(true);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('COULD_NOT_VALIDATE');
    return error.detail;
  }
}

const schemaFault = async (schema: object) => {
  const learn = (identityId: string) => schemas.learn(identityId, JSON.stringify(schema));
  return (await refusal(() => schemas.requireUsable('schema', schema), learn))?.reason;
};
const dataFault = async (schema: object, data: unknown) => {
  const text = JSON.stringify(schema);
  return await refusal(
    () => schemas.requireValid(text, data),
    (identityId) => schemas.learn(identityId, text, data),
  );
};
/** A schema of objects with one member, `a`. */
const withMember = (a: unknown, more: object = {}) => ({ type: 'object', properties: { a }, ...more });
/** Milliseconds that a task takes. */
async function timeOf(task: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

/** Bytes of the heap that something still refers to. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('the schema of a config type', () => {
  it.each([
    ['of an object', { type: 'object' }],
    ['with references inside of itself', withMember({ $ref: '#/definitions/b' }, { definitions: { b: {} } })],
    ['that refers to itself', withMember({ $ref: '#' })],
    ['with an id', withMember({}, { $id: 'https://edge.example/a.json' })],
    ['with an unknown keyword and an unknown format', withMember({ format: 'nothing', x: 1 })],
    ['with members that have names of keywords', withMember({}, { properties: { $ref: { type: 'string' } } })],
    ['with $data, which is no keyword', withMember({ maximum: 1, $data: '1/b' })],
  ])('can be one %s', async (_, schema) => {
    expect(await schemaFault(schema)).toBeUndefined();
  });

  it.each([
    ['no root type', {}, 'invalid config type schema, root type must be object'],
    ['another root type', { type: 'array' }, 'invalid config type schema, root type must be object'],
    ['an unknown type', withMember({ type: 'thing' }), /^invalid schema .*type/],
    ['a keyword with a wrong value', withMember({ minimum: 'a' }), /^invalid schema .*minimum must be number/],
    ['a value from the data', withMember({ maximum: { $data: '1/b' } }), /^invalid schema .*maximum must be number/],
    ['a reference to a web page', withMember({ $ref: 'http://127.0.0.1/a.json' }), /must begin with #/],
    ['a reference to a file', withMember({ $ref: 'file:///etc/passwd' }), /must begin with #/],
    ['a reference to the draft', withMember({ $ref: 'http://json-schema.org/draft-07/schema#' }), /must begin with #/],
    ['a reference to nothing', withMember({ $ref: '#/definitions/b' }), /^invalid schema can't resolve reference/],
    ['a draft that is not known', { $schema: 'https://edge.example/draft', type: 'object' }, undefined],
    ['no end, because it is asynchronous', { $async: true, type: 'object' }, 'invalid schema $async is not supported'],
    ['a pattern that is none', withMember({ pattern: '(' }), /^invalid schema .*missing closing/],
    ['a pattern that looks back', withMember({ pattern: '(a)\\1' }), /^invalid schema .*invalid escape/],
    ['a pattern that is too long', withMember({ pattern: 'a'.repeat(501) }), /more than 500 characters/],
    ['a pattern that repeats too often', withMember({ pattern: '((a{100}){100}){100}' }), /^invalid schema .*repe/],
    [
      'a member pattern that is none',
      { type: 'object', patternProperties: { '(': { type: 'number' } } },
      /^invalid schema /,
    ],
    ['too many levels', withMember(JSON.parse(`${'{"not":'.repeat(40)}{}${'}'.repeat(40)}`)), /more than 32 levels/],
    [
      'too many members',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`m${at}`, {}])) },
      /more than 2000 members/,
    ],
  ])('has %s', async (_, schema, reason) => {
    const fault = await schemaFault(schema);
    if (reason === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(reason);
  });

  it('never shares anything with another schema, not even its id', async () => {
    const $id = 'https://edge.example/same.json';
    expect(await schemaFault(withMember({ type: 'string' }, { $id }))).toBeUndefined();
    expect(await schemaFault(withMember({ type: 'number' }, { $id }))).toBeUndefined();
    expect(await dataFault(withMember({ type: 'string' }, { $id }), { a: 1 })).toBeDefined();
    expect(await dataFault(withMember({ type: 'number' }, { $id }), { a: 1 })).toBeUndefined();
    expect(await schemaFault({ type: 'object', $id: 'http://json-schema.org/draft-07/schema#' })).toBeUndefined();
    expect(await schemaFault(withMember({ minimum: 'a' }))).toContain('minimum must be number');
  });
});

describe('data', () => {
  it('are refused with the path of the first member that does not fit', async () => {
    const schema = withMember({
      type: 'array',
      items: { type: 'object', properties: { 'b/c~d': { type: 'integer' } } },
    });
    expect(await dataFault(schema, { a: [{}, { 'b/c~d': 'x' }] })).toEqual({
      field: 'a.1.b/c~d',
      reason: 'a.1.b/c~d is invalid: a.1.b/c~d: must be integer',
    });
  });

  it('are refused at the root when a member is missing or too much', async () => {
    const schema = withMember({}, { required: ['a'], additionalProperties: false });
    const root = (message: string) => ({ field: '(root)', reason: `(root) is invalid: (root): ${message}` });
    expect(await dataFault(schema, {})).toEqual(root("must have required property 'a'"));
    expect(await dataFault(schema, { a: 1, b: 2 })).toEqual(root('must NOT have additional properties: b'));
    expect(await dataFault(schema, [])).toEqual(root('must be object'));
    expect(await dataFault(schema, null)).toEqual(root('must be object'));
  });

  it('are never repeated in an error', async () => {
    expect(JSON.stringify(await dataFault(withMember({ type: 'number' }), { a: 'secret' }))).not.toContain('secret');
    expect(JSON.stringify(await dataFault(withMember({ const: 'b' }), { a: 'secret' }))).not.toContain('secret');
    expect(JSON.stringify(await dataFault(withMember({ pattern: '^b' }), { a: 'secret' }))).not.toContain('secret');
  });

  it('do not get values from the schema', async () => {
    const data = {};
    expect(await dataFault(withMember({ default: 1 }), data)).toBeUndefined();
    expect(data).toEqual({});
  });

  it('are compared with patterns, each with its own', async () => {
    const schema = {
      type: 'object',
      properties: { a: { pattern: '^x' }, b: { pattern: '^y' } },
      patternProperties: { '^n': { type: 'number' } },
    };
    expect(await dataFault(schema, { a: 'x', b: 'y', n1: 1 })).toBeUndefined();
    expect((await dataFault(schema, { a: 'y' }))?.field).toBe('a');
    expect((await dataFault(schema, { b: 'x' }))?.field).toBe('b');
    expect((await dataFault(schema, { n1: 'x' }))?.field).toBe('n1');
  });

  it('are compared with the formats that are known', async () => {
    expect((await dataFault(withMember({ format: 'ipv4' }), { a: '10.0.0.300' }))?.field).toBe('a');
    expect(await dataFault(withMember({ format: 'ipv4' }), { a: '10.0.0.3' })).toBeUndefined();
    expect(await dataFault(withMember({ format: 'idn-hostname' }), { a: '*.example/8' })).toBeUndefined();
  });

  it('have only their own members', async () => {
    expect((await dataFault({ type: 'object', required: ['constructor'] }, {}))?.field).toBe('(root)');
    const own = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}');
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"polluted":true}}}}',
    );
    expect(await schemaFault(schema)).toBeUndefined();
    expect(await dataFault(schema, own)).toBeUndefined();
    expect('polluted' in {}).toBe(false);
  });
});

describe('what would take too long', () => {
  const hostile: Record<string, string> = { nested: '^(a+)+$', alternatives: '^(a|a)*$', overlapping: '^(a*)*b$' };

  it.each(Object.entries(hostile))('is no problem for a pattern: %s', async (_, pattern) => {
    const schema = withMember({ pattern });
    const time = await timeOf(async () =>
      expect((await dataFault(schema, { a: `${'a'.repeat(20_000)}!` }))?.field).toBe('a'),
    );
    expect(time).toBeLessThan(1_000);
  });

  it('is ended when references double the work at each level', async () => {
    const level = (at: number) => [
      `d${at}`,
      { allOf: [{ $ref: `#/definitions/d${at + 1}` }, { $ref: `#/definitions/d${at + 1}` }] },
    ];
    const definitions = { ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => level(at))), d40: {} };
    const schema = withMember({ $ref: '#/definitions/d0' }, { definitions });
    expect(await schemaFault(schema)).toBeUndefined();
    const fault = { field: '(root)', reason: '(root) is invalid: (root): the check takes too long' };
    const time = await timeOf(async () => expect(await dataFault(schema, { a: 1 })).toEqual(fault));
    expect(time).toBeLessThan(2_000);
    // It was not kept half done.
    expect(await dataFault(schema, {})).toBeUndefined();
    expect(await dataFault(schema, { a: 1 })).toEqual(fault);
  });

  it('is ended when a schema refers to itself without an end', async () => {
    const schema = { type: 'object', allOf: [{ $ref: '#' }] };
    expect((await dataFault(schema, {}))?.field).toBe('(root)');
  });

  it('is ended when all elements are compared with each other', async () => {
    const schema = withMember({ uniqueItems: true });
    const a = Array.from({ length: 50_000 }, (_, at) => ({ at, more: [at] }));
    const time = await timeOf(async () => expect((await dataFault(schema, { a }))?.reason).toContain('takes too long'));
    expect(time).toBeLessThan(2_000);
  });
});

it.each([2, 8, 16, 24, 32])('compiles schemas after one was stopped within %d ms', async (milliseconds) => {
  // A module of its own, which has not compiled anything.
  const path = `./compile-schema.ts?stopped-within=${milliseconds}`;
  const { compileSchema, prepareDraft }: typeof import('./compile-schema.ts') = await import(path);
  prepareDraft();
  const schema = withMember({ type: 'string' });
  withinTime(milliseconds, () => compileSchema(schema));
  expect(compileSchema(schema)({ a: 1 })?.path).toBe('a');
});

it('keeps no memory of patterns, however large they are', async () => {
  const texts = Array.from({ length: 16 }, (_, at) => JSON.stringify(withMember({ pattern: `${at}|a{600}` })));
  const before = heapUsed();
  const checks = new SchemaChecks();
  const data = JSON.stringify({ a: 'a'.repeat(1_500) });
  for (const schema of texts) checks.answer({ schema, data });
  expect(heapUsed() - before).toBeLessThan(16 * 1_048_576);
});

it('compiles each schema once', async () => {
  const kept = new SchemaChecks();
  const { schema } = builtInConfigTypes.find(({ name }) => name === 'host.v2')!;
  const texts = Array.from({ length: 10 }, (_, at) => JSON.stringify({ ...schema, title: `version ${at}` }));
  const data = JSON.stringify({ terminators: [{ protocol: 'tcp', address: 'a', port: 1 }] });
  const checkAll = async () => {
    for (const schema of texts) expect(kept.answer({ schema, data })).toBeNull();
  };
  expect(await timeOf(checkAll)).toBeGreaterThan(await timeOf(checkAll));
});

describe.each(builtInConfigTypes)('the schema of $name', ({ schema }) => {
  it('can be used', async () => {
    expect(await schemaFault(schema)).toBeUndefined();
  });
});

const typed = (name: string) => builtInConfigTypes.find((type) => type.name === name)?.schema ?? {};
const host = { protocol: 'tcp', address: 'db.example', port: 5432 };
const ports = [{ low: 80, high: 443 }];
const intercept = { protocols: ['tcp'], addresses: ['*.example', '10.0.0.0/8'], portRanges: ports };
const check = {
  interval: '5s',
  timeout: '100ms',
  address: 'a:1',
  actions: [{ trigger: 'fail', action: 'mark unhealthy' }],
};

describe('configs of the built-in types', () => {
  it.each<[string, object]>([
    ['ziti-tunneler-client.v1', { hostname: 'a', port: 1 }],
    ['ziti-tunneler-server.v1', { hostname: 'a', port: 1, protocol: 'udp', portChecks: [check] }],
    ['intercept.v1', { ...intercept, dialOptions: { identity: '$dst_ip' }, sourceIp: '$src_ip' }],
    ['host.v1', host],
    ['host.v1', { ...host, listenOptions: { connectTimeout: '5s', cost: 7, precedence: 'required' } }],
    ['host.v1', { ...host, protocol: undefined, forwardProtocol: true, allowedProtocols: ['tcp', 'udp'] }],
    ['host.v1', { ...host, forwardAddressTranslations: [{ from: '10.0.0.0', to: '10.1.0.0', prefixLength: 16 }] }],
    ['host.v2', { terminators: [host, { ...host, forwardPort: true, allowedPortRanges: ports }] }],
    ['interfaces.v1', { interfaces: ['eth0'] }],
    ['proxy.v1', { port: 8080, protocols: ['tcp'], binding: 'proxy' }],
    ['router.link.v1', { listeners: [{ bind: 'tls:0.0.0.0:6262', groups: 'a' }], dialers: [{ groups: ['a', 'b'] }] }],
    ['router.link.v1', { heartbeats: { sendInterval: '1m30.5s', checkInterval: '10µs' } }],
  ])('%s fit', async (name, data) => {
    expect(await dataFault(typed(name), JSON.parse(JSON.stringify(data)))).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['ziti-tunneler-client.v1', { hostname: 'a' }, '(root)'],
    ['ziti-tunneler-client.v1', { hostname: 'a', port: 65_536 }, 'port'],
    [
      'ziti-tunneler-server.v1',
      { hostname: 'a', port: 1, portChecks: [{ ...check, interval: 'soon' }] },
      'portChecks.0.interval',
    ],
    ['intercept.v1', { ...intercept, protocols: [] }, 'protocols'],
    ['intercept.v1', { ...intercept, protocols: ['sctp'] }, 'protocols.0'],
    ['intercept.v1', { ...intercept, portRanges: [{ low: 1 }] }, 'portRanges.0'],
    ['host.v1', { ...host, other: 1 }, '(root)'],
    ['host.v1', { protocol: 'tcp', address: 'a' }, '(root)'],
    ['host.v1', { ...host, address: '' }, 'address'],
    ['host.v1', { ...host, forwardPort: true }, '(root)'],
    ['host.v2', { terminators: [] }, 'terminators'],
    ['host.v2', { terminators: [{ ...host, port: -1 }] }, 'terminators.0.port'],
    ['interfaces.v1', { interfaces: [1] }, 'interfaces.0'],
    ['proxy.v1', { port: 0, protocols: ['tcp'] }, 'port'],
    ['router.link.v1', { listeners: [{}] }, 'listeners.0'],
    ['router.link.v1', { gcMode: 'all' }, 'gcMode'],
  ])('%s do not fit', async (name, data, field) => {
    expect((await dataFault(typed(name), data))?.field).toBe(field);
  });
});

describe('the time of an identity', () => {
  /** Takes a second, and is another one for each number. */
  const slow = (at: number) => [{ ...withMember({ uniqueItems: true }), title: `${at}` }, { a: manyElements }] as const;
  const manyElements = Array.from({ length: 20_000 }, (_, at) => ({ at, more: [at] }));

  it('ends, and that of another one does not', async () => {
    const limited = new JsonSchemas();
    const learn = (identityId: string, [schema, data]: readonly [object, object]) =>
      limited.learn(identityId, JSON.stringify(schema), data);
    const hostile = await Promise.allSettled(Array.from({ length: 15 }, (_, at) => learn('one', slow(at))));
    const refused = hostile.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.length).toBeGreaterThan(5);
    for (const error of refused) expect(error).toMatchObject({ code: 'SERVER_TOO_MANY_REQUESTS' });
    expect(refused[0].retryAfter).toBeGreaterThan(0);
    await learn('two', [withMember({ type: 'string' }), { a: 'b' }]);
    // What took too long is remembered: it takes no time of anybody.
    const [schema, data] = slow(0);
    expect(() => limited.requireValid(JSON.stringify(schema), data)).toThrow(ApiError);
    expect(limited.requireValid(JSON.stringify(schema), { a: [] })).toBe(false);
    await limited.close();
  });

  it('does not block the event loop', async () => {
    const limited = new JsonSchemas();
    const [schema, data] = slow(0);
    const before = performance.eventLoopUtilization();
    await limited.learn('one', JSON.stringify(schema), data);
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
    await limited.close();
  });

  it('is not waited for at a close', async () => {
    const limited = new JsonSchemas();
    const [schema, data] = slow(0);
    const learning = limited.learn('one', JSON.stringify(schema), data);
    const ended = expect(learning).rejects.toMatchObject({ code: 'TIMEOUT' });
    await limited.close();
    await ended;
  });
});
