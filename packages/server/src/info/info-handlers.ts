import type { clientApi, SpecDetail, VersionDetail } from '@edge-controller/shared-types';
import { notFound } from '../api-error.ts';
import type { Handlers } from '../call.ts';
import { build } from './version.ts';

export type InfoHandlers = Pick<Handlers<typeof clientApi>, 'version' | 'specs' | 'wellKnown'>;

const paths = {
  edge: '/edge/v1',
  'edge-client': '/edge/client/v1',
  'edge-management': '/edge/management/v1',
} as const;

interface InfoOptions {
  /** `host:port` at which clients reach the APIs. */
  readonly apiAddress: () => string;
  /** The CA certificates that clients trust: PKCS#7, DER, base64 in lines of 64 characters. */
  readonly caCertificates: string;
}

/** Creates the handlers that describe this controller. */
export function createInfoHandlers(options: InfoOptions): InfoHandlers {
  const readVersion = async (): Promise<VersionDetail> => ({
    ...build,
    runtimeVersion: process.version,
    apiVersions: Object.fromEntries(
      Object.entries(paths).map(([binding, path]) => [
        binding,
        { v1: { path, apiBaseUrls: [`https://${options.apiAddress()}${path}`] } },
      ]),
    ),
    capabilities: [],
  });
  return {
    version: { get: readVersion, root: readVersion },
    wellKnown: {
      async caCertificates({ setHeader }) {
        setHeader('Content-Transfer-Encoding', 'base64');
        return options.caCertificates;
      },
    },
    specs: {
      list: async () => ({ rows: specs }),
      get: async (_call, { params }) => {
        const spec = specs.find(({ id }) => id === params.id);
        if (!spec) throw notFound('spec', params.id);
        return spec;
      },
    },
  };
}

const specs = ['edge-client', 'edge-management'].map(
  (id): SpecDetail => ({
    id,
    name: id,
    createdAt: build.buildDate,
    updatedAt: build.buildDate,
    tags: {},
    _links: { self: { href: `./specs/${id}` }, spec: { href: `./specs/${id}/spec` } },
  }),
);
