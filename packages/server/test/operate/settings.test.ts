import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import proxyaddr from 'proxy-addr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadOptions, SettingProblem } from '../../src/index.ts';
import { ConfigError, loadSettings } from '../../src/index.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'edge-settings-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const load = (options: LoadOptions) => loadSettings({ env: {}, ...options });

function problemsOf(options: LoadOptions): readonly SettingProblem[] {
  try {
    load(options);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

function write(text: string): string {
  const path = join(directory, 'edge.yaml');
  writeFileSync(path, text);
  return path;
}

describe('settings', () => {
  it('have defaults', () => {
    expect(load({})).toMatchObject({ port: 1280, sessionTimeout: 1_800_000, databaseUrl: null, logLevel: 'info' });
  });

  it('come from flags before the environment before the file', () => {
    const config = write('web: {host: from.file, port: 1}\nlog: {level: debug}');
    const env = { EDGE_CONFIG: config, EDGE_HOST: 'from.env', EDGE_PORT: '2' };
    expect(load({ env, flags: { port: '3' } })).toMatchObject({ host: 'from.env', port: 3, logLevel: 'debug' });
  });

  it('are text in the environment and may have types in the file', () => {
    const key = Buffer.alloc(32, 7);
    const given = [
      load({
        env: {
          EDGE_PORT: '1281',
          EDGE_SESSION_TIMEOUT: '1h30m',
          EDGE_NAMES: 'a.example, 2001:db8::1,',
          EDGE_SESSION_HEADERS: 'Svc-Session,X-Session, x-session',
          EDGE_TRUSTED_PROXIES: '10.0.0.0/8,::1',
          EDGE_SEAL_KEY: key.toString('base64'),
          EDGE_DATABASE_URL: 'postgresql://u:p@db/edge',
        },
      }),
      load({
        flags: {
          config: write(`
web:
  port: 1281
  names: [a.example, '2001:db8::1']
  sessionHeaders: [svc-session, X-Session]
  trustedProxies: [10.0.0.0/8, '::1']
edge:
  api: {sessionTimeout: 90m}
  sealKey: ${key.toString('base64')}
  database: {url: 'postgresql://u:p@db/edge'}
`),
        },
      }),
    ];
    for (const settings of given) {
      expect(settings).toMatchObject({
        port: 1281,
        sessionTimeout: 5_400_000,
        names: ['a.example', '2001:db8::1'],
        sessionHeaders: ['svc-session', 'x-session'],
        trustedProxies: ['10.0.0.0/8', '::1'],
        sealKey: key,
        databaseUrl: 'postgresql://u:p@db/edge',
      });
    }
  });

  it.each([
    ['EDGE_HOST', ['not a host'], 'an IP address or a host name'],
    ['EDGE_PORT', ['65536', '-1', '1.5', '0x10', ' 80', 'many'], 'an integer from 0 to 65535'],
    ['EDGE_NAMES', ['a b', 'a,b_c'], 'DNS names and IP addresses, separated by commas'],
    ['EDGE_API_ADDRESS', ['edge.example', 'https://edge.example:1280'], 'host:port'],
    ['EDGE_SESSION_TIMEOUT', ['soon', '30', '10ms', '9000h', '-5m'], 'a duration from 1s to 8760h such as 30m or 90s'],
    ['EDGE_SESSION_HEADERS', [',', 'a b', 'x-session,Cookie'], 'one or more header names, separated by commas'],
    ['EDGE_CORS_ORIGINS', ['https://a.example/', '*', 'a.example'], 'origins such as https://app.example.org'],
    ['EDGE_ADMIN_USERNAME', ['abc'], '4 to 100 characters'],
    ['EDGE_LOG_LEVEL', ['loud', 'INFO'], 'fatal, error, warn, info, debug, silent'],
    ['EDGE_TOTP_ISSUER', ['a:b'], '1 to 100 characters without a colon'],
    ['EDGE_JWT_CLOCK_TOLERANCE', ['301s', '30', '-1s'], 'a duration from 0h to 5m such as 30s'],
    ['EDGE_JWT_MAX_LIFETIME', ['59s', 'none'], 'a duration from 1m to 8760h such as 24h'],
    ['EDGE_JWKS_DENIED_IPS', ['10.0.0.0/33', '10.1', 'idp.example'], 'IP addresses and CIDR ranges'],
    [
      'EDGE_JWKS_DENIED_HOSTNAMES',
      ['*', 'a.*.b', '*a.b', 'a..b', 'a b', 'https://a.b', '[::1]', 'bücher.de'],
      'host names',
    ],
    ['EDGE_JWKS_MAX_REDIRECTS', ['11', '-1'], 'an integer from 0 to 10'],
  ])('refuse a wrong %s and tell what is right', (name, values, expected) => {
    for (const value of values) {
      const [problem, ...others] = problemsOf({ env: { [name]: value } });
      expect(problem, value).toMatchObject({ setting: name, got: JSON.stringify(value), source: 'environment' });
      expect(problem?.expected).toContain(expected);
      expect(problem?.fix).toContain(`set ${name}, or `);
      expect(others).toEqual([]);
    }
  });

  it('refuse wrong types in the file', () => {
    const config = write(
      'web: {port: true, names: a.example, trustedProxies: [1]}\nlog: {level: }\nedge: {api: {sessionTimeout: 5}}',
    );
    const problems = problemsOf({ flags: { config } });
    expect(problems.map(({ setting, got, source }) => [setting, got, source])).toEqual([
      ['web.port', 'true', config],
      ['edge.api.sessionTimeout', '5', config],
      ['web.trustedProxies', '[1]', config],
      ['log.level', 'null', config],
    ]);
  });

  it('trust only proxies that the proxy library can take', () => {
    const right = ['127.0.0.1', '::1', '10.0.0.0/8', '0.0.0.0/1', '2001:db8::/32', '::ffff:10.0.0.0/104', '1.2.3.4/32'];
    const { trustedProxies } = load({ env: { EDGE_TRUSTED_PROXIES: right.join(',') } });
    expect(trustedProxies).toEqual(right);
    expect(() => proxyaddr.compile([...trustedProxies])).not.toThrow();
    for (const wrong of [
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/00',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/255.0.0.0',
      'loopback',
    ]) {
      const [problem] = problemsOf({ env: { EDGE_TRUSTED_PROXIES: `10.0.0.1,${wrong}` } });
      expect(problem?.expected, wrong).toContain('IP addresses and CIDR ranges with a prefix of at least /1');
    }
  });

  it('decide which JWKS endpoints are used', () => {
    const config = write(`
edge:
  externalJwtSigners:
    clockTolerance: 0s
    maxTokenLifetime: 24h
    jwksFetch:
      blockPrivateAddresses: true
      deniedIPs: [10.0.0.0/8]
      allowedIPs: [192.0.2.1, '2001:db8::/32']
      deniedHostnames: [Internal.]
      allowedHostnames: ['*.IdP.example', idp.example]
      timeout: 500ms
      maxRedirects: 0
`);
    expect(load({})).toMatchObject({
      jwtClockTolerance: 30_000,
      jwtMaxLifetime: null,
      jwksBlockPrivateAddresses: false,
      jwksTimeout: 5_000,
      jwksMaxRedirects: 5,
    });
    expect(load({ flags: { config } })).toMatchObject({
      jwtClockTolerance: 0,
      jwtMaxLifetime: 86_400_000,
      jwksBlockPrivateAddresses: true,
      jwksDeniedIPs: ['10.0.0.0/8'],
      jwksAllowedIPs: ['192.0.2.1', '2001:db8::/32'],
      jwksDeniedHostnames: ['internal'],
      jwksAllowedHostnames: ['*.idp.example', 'idp.example'],
      jwksTimeout: 500,
      jwksMaxRedirects: 0,
    });
  });

  it('report all problems at once', () => {
    const config = write('web: {prot: 5}\nedge: {totp: {attempts: 0}}');
    const problems = problemsOf({
      flags: { config, host: 'a b', 'admin-password': 'a flag that does not exist' },
      env: { EDGE_PORT: 'x', EDGE_SEAL_KEY: 'a', EDGE_SEAL_KEY_FILE: 'b', EDGE_ADMIN_PASSWORD_FILE: '/no/such/file' },
    });
    expect(problems.map(({ setting, source }) => [setting, source]).sort()).toEqual([
      ['--admin-password', 'command line'],
      ['--host', 'command line'],
      ['EDGE_ADMIN_PASSWORD_FILE', 'environment'],
      ['EDGE_PORT', 'environment'],
      ['EDGE_SEAL_KEY', 'environment'],
      ['edge.totp.attempts', config],
      ['web.prot', config],
    ]);
    for (const problem of problems) {
      for (const part of Object.values(problem)) expect(part).not.toBe('');
    }
  });

  it('never show a secret, wherever it comes from', () => {
    const secret = 'hunter2';
    const file = join(directory, 'secret');
    writeFileSync(file, secret);
    const config = write(
      `edge: {admin: {password: ${secret}}, sealKey: {nested: ${secret}}, database: {url: [${secret}]}}`,
    );
    const environment = {
      EDGE_ADMIN_PASSWORD: secret,
      EDGE_DATABASE_URL: `mysql://${secret}@db`,
      EDGE_REDIS_URL: secret,
    };
    for (const options of [
      { env: environment },
      { env: { EDGE_ADMIN_PASSWORD_FILE: file, EDGE_SEAL_KEY_FILE: file } },
      { flags: { config } },
      { flags: { 'admin-password': secret } },
    ]) {
      const error = (() => {
        try {
          return load(options);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toBeInstanceOf(ConfigError);
      expect(JSON.stringify((error as ConfigError).problems) + (error as ConfigError).message).not.toContain(secret);
    }
  });

  it('read a secret from a file without the newline at its end', () => {
    const file = join(directory, 'password');
    writeFileSync(file, 'a good password\n');
    expect(load({ env: { EDGE_ADMIN_PASSWORD_FILE: file } }).adminPassword).toBe('a good password');
  });

  it.each([
    ['no YAML', 'web: [1'],
    ['a list', '- web'],
    ['only text', 'web'],
  ])('refuse a file with %s', (_, text) => {
    const config = write(text);
    expect(problemsOf({ flags: { config } })).toMatchObject([{ setting: 'config', got: config }]);
  });

  it('take an empty file for one without settings, and name one that is not there', () => {
    expect(load({ flags: { config: write('# nothing yet\n') } })).toEqual(load({}));
    expect(problemsOf({ env: { EDGE_CONFIG: '/no/such.yaml' } })).toMatchObject([{ got: '/no/such.yaml' }]);
  });
});
