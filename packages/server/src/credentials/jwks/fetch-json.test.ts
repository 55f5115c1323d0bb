import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hugeExponents } from '../../../test/support/costly-chains.ts';
import { json, redirect, startJsonProvider } from '../../../test/support/json-provider.ts';
import { createTestCa } from '../../../test/support/test-ca.ts';
import { defaultSettings } from '../../core/config/load.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { Resolve } from './checked-lookup.ts';
import { createCheckedLookup } from './checked-lookup.ts';
import { fetchJson } from './fetch-json.ts';

const never: Resolve = () => new Promise(() => {});
const resolveTo = (...addresses: string[]): Resolve => {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

/** Settings that matter to a test, and how names are resolved. */
type Given = Partial<Settings> & { readonly resolve?: Resolve; readonly signal?: AbortSignal };

async function fetched(url: string, { resolve, signal = new AbortController().signal, ...given }: Given = {}) {
  const settings = { ...defaultSettings(), ...given };
  const bytes = await fetchJson(url, { settings, signal, lookup: createCheckedLookup(settings, resolve) });
  return JSON.parse(String(bytes));
}

/** Why a fetch fails, without the URL at the beginning. */
async function problem(url: string, given?: Given): Promise<string> {
  const error = await fetched(url, given).then(
    () => new Error('no failure'),
    (thrown: Error) => thrown,
  );
  expect(error.name).toBe('FetchFailed');
  return error.message.replace(/^https?:[^ ]*: /, '');
}

const document = { keys: [{ kid: 'a' }] };

describe('a JSON document', () => {
  it.each(['application/json', 'application/jwk-set+json; charset=utf-8', 'Application/Problem+JSON ;x=1'])(
    'is fetched as %s',
    async (type) => {
      await using provider = await startJsonProvider(json(document, type));
      expect(await fetched(provider.url)).toEqual(document);
    },
  );

  it.each([
    'text/html',
    'text/plain',
    'application/jsonp',
    'application/xjson',
    'text/javascript; a=application/json',
    '',
  ])('is not fetched as "%s"', async (type) => {
    await using provider = await startJsonProvider(json(document, type));
    expect(await problem(provider.url)).toBe('The content type is not JSON.');
  });

  it.each([201, 204, 206, 300, 304, 401, 404, 500, 503])('is not fetched with the status %d', async (status) => {
    await using provider = await startJsonProvider((_, response) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(status === 304 ? '' : '{"keys":[]}'),
    );
    expect(await problem(provider.url)).toBe(`The status is ${status}, not 200.`);
  });

  it('is asked for with nothing that the controller knows', async () => {
    await using provider = await startJsonProvider(json(document));
    await fetched(`${provider.url}?tenant=1#part`);
    expect(provider.requests).toEqual([
      {
        accept: 'application/jwk-set+json, application/json',
        'accept-encoding': 'identity',
        'user-agent': 'edge-controller',
        host: new URL(provider.url).host,
        connection: 'close',
      },
    ]);
  });

  it('has a limit of size, whatever its length is said to be', async () => {
    const fits = JSON.stringify({ keys: [], filler: 'x'.repeat(1_048_576 - 23) });
    expect(fits).toHaveLength(1_048_576);
    let sent = 0;
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const piece = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (sent < 100_000_000 && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return response.once('drain', more);
        }
        return response.end();
      };
      more();
    };
    const bodies: [string, RequestListener][] = [
      ['chunked', endless],
      [
        'one byte more',
        (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(`${fits} `),
      ],
    ];
    for (const [name, listener] of bodies) {
      await using provider = await startJsonProvider(listener);
      expect(await problem(provider.url), name).toBe('The body has more than 1024 KiB.');
    }
    expect(sent).toBeLessThan(50_000_000);
    await using provider = await startJsonProvider((_, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(fits),
    );
    expect(await fetched(provider.url)).toMatchObject({ keys: [] });
  });

  it('is never decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    await using provider = await startJsonProvider((_, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(bomb),
    );
    expect(await problem(provider.url)).toBe('The body is compressed.');
  });

  it('is incomplete when the connection ends early', async () => {
    await using provider = await startJsonProvider((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      response.write('{"keys":[]}', () => response.destroy());
    });
    expect(await problem(provider.url)).toBe('The request failed (ECONNRESET).');
  });
});

describe('the time of a fetch', () => {
  const slow: [string, RequestListener][] = [
    ['no response', () => undefined],
    [
      'a byte now and then',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['redirects without an end', (_, response) => setTimeout(() => redirect('/jwks')(_, response), 100)],
  ];
  it.each(slow)('ends with %s', async (_, listener) => {
    await using provider = await startJsonProvider(listener);
    const given = { jwksTimeout: 300, jwksMaxRedirects: 10 };
    expect(await problem(provider.url, given)).toBe('No full response within 300ms.');
  });

  it('ends when the name server does not respond', async () => {
    expect(await problem('http://idp.example/', { jwksTimeout: 300, resolve: never })).toContain('300ms');
    expect(await problem('http://idp.example/', { resolve: never })).toBe('No connection within 2s.');
  });

  it('ends when TLS is not established', async () => {
    await using listening = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await vi.waitFor(() => expect(listening.listening).toBe(true));
    const { port } = listening.address() as AddressInfo;
    expect(await problem(`https://127.0.0.1:${port}/`)).toBe('No connection within 2s.');
  });

  it('is not fetched from a host whose certificates would take long to verify', async () => {
    await using listening = createTlsServer(hugeExponents()).listen(0, '127.0.0.1');
    await vi.waitFor(() => expect(listening.listening).toBe(true));
    listening.on('tlsClientError', () => undefined);
    const { port } = listening.address() as AddressInfo;
    const text = await problem(`https://127.0.0.1:${port}/`);
    expect(text).toBe('The TLS handshake was refused: an RSA key that is too large.');
  });

  it('ends when nobody needs the document any more', async () => {
    await using provider = await startJsonProvider(() => undefined);
    const stop = new AbortController();
    const ended = problem(provider.url, { signal: stop.signal });
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1));
    stop.abort();
    expect(await ended).toBe('The fetch was stopped.');
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('are followed with the status %d', async (status) => {
    await using provider = await startJsonProvider((request, response) =>
      (request.url === '/jwks' ? redirect('/other', status) : json(document))(request, response),
    );
    expect(await fetched(provider.url)).toEqual(document);
  });

  it('are limited', async () => {
    await using provider = await startJsonProvider(redirect('/jwks'));
    expect(await problem(provider.url)).toBe('More than 5 redirects.');
    expect(provider.requests).toHaveLength(6);
    expect(await problem(provider.url, { jwksMaxRedirects: 0 })).toBe('More than 0 redirects.');
    expect(provider.requests).toHaveLength(7);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'is a link-local address'],
    ['http://[::ffff:169.254.169.254]/', 'is a link-local address'],
    ['http://denied.example/', 'is in the list of denied host names'],
    ['http://user:secret@127.0.0.1/', 'must not have a user name'],
    ['file:///etc/passwd', 'must begin with https:// or http://'],
    ['http://', 'A redirect has no valid target.'],
  ])('never lead to %s', async (location, reason) => {
    await using provider = await startJsonProvider(redirect(location));
    const reported = await problem(provider.url, { jwksDeniedHostnames: ['denied.example'] });
    expect(reported).toContain(reason);
    expect(reported).not.toContain('secret');
  });

  it('never lead to a name with a refused address', async () => {
    await using provider = await startJsonProvider(redirect('http://innocent.example/'));
    const reported = await problem(provider.url, { resolve: resolveTo('169.254.169.254') });
    expect(reported).toContain('169.254.169.254 is a link-local address');
  });
});

describe('the address that is dialed', () => {
  it('is one that was checked', async () => {
    await using provider = await startJsonProvider(json(document));
    const url = provider.url.replace('127.0.0.1', 'rebinding.example');
    const resolve = vi.fn(resolveTo('169.254.169.254')).mockImplementationOnce(resolveTo('fe80::1', '127.0.0.1'));
    expect(await fetched(url, { resolve })).toEqual(document);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(await problem(url, { resolve })).toBe(
      'The host rebinding.example has no address that may be used: 169.254.169.254 is a link-local address.',
    );
    expect(provider.requests).toHaveLength(1);
  });

  it('is never a blocked one, whether written or found', async () => {
    await using provider = await startJsonProvider(json(document));
    const blocked = { jwksBlockPrivateAddresses: true };
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const url = provider.url.replace('127.0.0.1', host);
      expect(await problem(url, blocked), host).toContain('is a private or loopback address');
    }
    expect(provider.requests).toHaveLength(0);
    expect(await fetched(provider.url.replace('127.0.0.1', 'localhost'))).toEqual(document);
  });

  it('is looked up for one fetch at a time, also when the caller has given up', async () => {
    const settings = { ...defaultSettings(), jwksTimeout: 100 };
    const names: string[] = [];
    const first = Promise.withResolvers<never>();
    const lookup = createCheckedLookup(settings, (name) => {
      names.push(name);
      return first.promise;
    });
    const { signal } = new AbortController();
    for (const name of ['a', 'b'])
      await expect(fetchJson(`http://${name}/`, { settings, signal, lookup })).rejects.toThrow();
    expect(names).toEqual(['a']);
    first.reject(new Error('no such name'));
    await vi.waitFor(() => expect(names).toEqual(['a', 'b']));
  });
});

describe('over TLS', () => {
  const trusted = getCACertificates();
  afterEach(() => {
    setDefaultCACertificates(trusted);
    vi.unstubAllEnvs();
  });

  it('the certificate of the provider is verified, whatever the environment says', async () => {
    const ca = createTestCa();
    await using provider = await startJsonProvider(json(document), ca);
    expect(await problem(provider.url)).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await problem(provider.url)).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    setDefaultCACertificates([...trusted, ca.certPem]);
    expect(await fetched(provider.url)).toEqual(document);
    expect(await problem(provider.url.replace('localhost', '127.0.0.1'))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('a redirect never leaves TLS', async () => {
    const ca = createTestCa();
    setDefaultCACertificates([...trusted, ca.certPem]);
    await using plain = await startJsonProvider(json(document));
    await using provider = await startJsonProvider(redirect(plain.url), ca);
    expect(await problem(provider.url)).toBe('A redirect leads from https to http.');
    expect(plain.requests).toHaveLength(0);
    provider.serve((request, response) =>
      (request.url === '/jwks' ? redirect('/other') : json(document))(request, response),
    );
    expect(await fetched(provider.url)).toEqual(document);
  });
});

it('a failure names the URL without what may be secret in it', async () => {
  await using provider = await startJsonProvider(json(document, 'text/html'));
  const fails = (url: string) => expect(fetched(url)).rejects;
  await fails(`${provider.url}?key=secret#secret`).toThrow(`${provider.url}: The content type is not JSON.`);
  await fails('https://user:secret@idp.example/jwks').toThrow(
    'https://idp.example/jwks: The URL must not have a user name or a password.',
  );
  await fails('nonsense?key=secret').toThrow('the URL: The URL is not valid.');
});
