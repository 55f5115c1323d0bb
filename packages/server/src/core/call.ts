import type { ApiTree, Data, DocumentType, Input, Operation } from '@edge-controller/shared-types';
import type { Page } from './filter/page.ts';
import type { SplitResponse } from './turns/split-response.ts';

/** The credentials that a request presents. They are not verified yet. */
export interface Credentials {
  /** Token of an API session, from the first session header that is not empty. */
  readonly sessionToken: string | null;
  /** The tokens of all `Authorization: Bearer` headers, in order; at most three. */
  readonly bearerTokens: readonly string[];
  /**
   * The certificates that the client presented on this TLS connection, in DER: the leaf, then the issuers that Node links to
   * it. TLS has proven only the key of the leaf. Empty when there are none or too many, or when the TLS session was resumed.
   */
  readonly certificates: readonly Buffer[];
  /** The leaf, then all others in the order in which they were sent, as far as they can be read without a leak. */
  readonly sentCertificates: readonly Buffer[];
}

/** One request as a handler sees it. */
export interface ApiRequest {
  /** Id of the request in the logs and in error responses. */
  readonly requestId: () => string;
  readonly api: 'client' | 'management';
  /** Address of the client, without port. Behind trusted proxies it comes from `X-Forwarded-For`. */
  readonly clientAddress: string;
  /** The address of the client as limits count it: an IPv4 address, or the /64 of an IPv6 address. */
  readonly clientNetwork: () => string;
  readonly credentials: Credentials;
  /** Whether it came by the listener of the browsers. */
  readonly isOfBrowser: () => boolean;
  /** The media type of the response. `Accept` selects it from the types that the operation produces. */
  readonly responseType: DocumentType;
  /** Sets an additional header of the response. */
  readonly setHeader: (name: string, value: string) => void;
}

/** A request with the services that its handler needs. Each layer says which these are. */
export type CallWith<Dependencies> = ApiRequest & Dependencies;

/** A call with an API session that has the access level of the operation. The session was touched. */
export type SessionCallWith<Dependencies, Session> = CallWith<Dependencies> & { readonly session: Session };

type CallFor<O extends Operation, Dependencies, Session> = O['access'] extends 'anyone'
  ? CallWith<Dependencies>
  : SessionCallWith<Dependencies, Session>;

interface Outputs<D> {
  detail: D | (D extends object ? SplitResponse<D> : never);
  list: Page<D>;
  create: { id: string; href?: string };
  created: D;
  /** The return value is ignored. */
  empty: unknown;
  document: string | Uint8Array;
}

type Handler<O extends Operation, Dependencies, Session> = (
  call: CallFor<O, Dependencies, Session>,
  input: Input<O>,
) => Promise<Outputs<Data<O>>[O['result']]>;

/** The handlers of an API tree. A missing handler is a compile error that names it. */
export type HandlersWith<T extends ApiTree, Dependencies, Session> = {
  [R in keyof T]: { [V in keyof T[R]]: Handler<T[R][V], Dependencies, Session> };
};
