import type { clientApi, SpecDetail, VersionDetail } from '@edge-controller/shared-types';
import { capability } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import type { ApiRequest, HandlersWith } from '../../core/call.ts';
import type { ApiName } from '../openapi/document.ts';
import type { DocumentForm } from '../openapi/document-text.ts';
import { build } from './version.ts';

export type InfoHandlers = Pick<
  HandlersWith<typeof clientApi, unknown, unknown>,
  'enumeratedCapabilities' | 'networkJwts' | 'protocols' | 'specs' | 'version' | 'wellKnown'
>;

/** The API of each binding. `edge` is the old name of the Client API. */
const paths = {
  edge: '/edge/client/v1',
  'edge-client': '/edge/client/v1',
  'edge-management': '/edge/management/v1',
  fabric: '/fabric/v1',
} as const;

interface InfoOptions {
  /** `host:port` at which clients reach the APIs. */
  readonly apiAddress: () => string;
  /** `host:port` at which browsers reach them. */
  readonly browserAddress: () => string;
  /** Returns the CA certificates that clients trust: PKCS#7, DER, base64 in lines of 64 characters. */
  readonly caCertificates: () => string;
  readonly networkJwt: () => Promise<string>;
  /** What the version response says about Node. */
  readonly runtimeVersion: string;
}

/** Creates the handlers that describe this controller. */
export function createInfoHandlers(options: InfoOptions): InfoHandlers {
  const addressFor = ({ isOfBrowser }: ApiRequest) => (isOfBrowser() ? options.browserAddress() : options.apiAddress());
  const readVersion = async (call: ApiRequest): Promise<VersionDetail> => ({
    ...build,
    runtimeVersion: options.runtimeVersion,
    apiVersions: Object.fromEntries(
      Object.entries(paths).map(([binding, path]) => [
        binding,
        { v1: { path, apiBaseUrls: [`https://${addressFor(call)}${path}`] } },
      ]),
    ),
    capabilities: [],
  });
  return {
    version: { get: readVersion, root: readVersion },
    enumeratedCapabilities: { list: async () => ({ batches: [capability.options] }) },
    networkJwts: { list: async () => ({ batches: [[{ name: 'default', token: await options.networkJwt() }]] }) },
    protocols: { get: async (call) => ({ https: { address: addressFor(call) } }) },
    wellKnown: {
      async caCertificates({ setHeader }) {
        setHeader('Content-Transfer-Encoding', 'base64');
        return options.caCertificates();
      },
    },
    specs: {
      // Also on the Management API, and its own description is not listed.
      list: async () => ({ batches: [specs.filter(({ id }) => id === 'edge-client')] }),
      get: async (_call, { params }) => {
        const spec = specs.find(({ id }) => id === params.id);
        if (!spec) throw new ApiError('NOT_FOUND');
        return spec;
      },
      async spec({ responseType }, { params }) {
        const api = apis.get(params.id);
        if (!api) throw new ApiError('NOT_FOUND');
        return readDocument(api, responseType === 'application/json' ? '2.0 json' : '2.0 yaml');
      },
      openapi: async ({ api }) => readDocument(api, '3.1 json'),
      swagger: async ({ api }) => readDocument(api, '2.0 json'),
    },
  };
}

/** The printer is loaded at the first request for a document: it must not cost start-up time. */
async function readDocument(api: ApiName, form: DocumentForm): Promise<string> {
  const { documentText } = await import('../openapi/document-text.ts');
  return documentText(api, form);
}

/** The API that each description describes. */
const apis: ReadonlyMap<string, ApiName> = new Map([
  ['edge-client', 'client'],
  ['edge-management', 'management'],
]);

const specs = [...apis.keys()].map(
  (id): SpecDetail => ({
    id,
    name: id,
    createdAt: build.buildDate,
    updatedAt: build.buildDate,
    tags: {},
    _links: { self: { href: `./specs/${id}` }, spec: { href: `./specs/${id}/spec` } },
  }),
);
