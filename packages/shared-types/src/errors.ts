/**
 * The error catalogue: code → HTTP status and message. No other place sets the status of an error. All errors with one
 * code have the same message; `cause` has the details of one error.
 */
export const errorCatalogue = {
  CAN_NOT_DELETE_REFERENCED_ENTITY: {
    status: 409,
    message: 'the entity cannot be deleted because it is referenced by another entity, see cause',
  },
  CAN_NOT_UPDATE_AUTHENTICATOR: { status: 409, message: 'The authenticator cannot be updated in this fashion' },
  CAN_NOT_UPDATE_ROUTER: {
    status: 409,
    message: 'The router was not added via the Edge API and cannot be updated',
  },
  CA_ALREADY_VERIFIED: { status: 409, message: 'CA has already been verified' },
  CERTIFICATE_FAILED_VALIDATION: {
    status: 400,
    message: "The supplied certificate failed to validate against the CA's certificate chain",
  },
  CERTIFICATE_IS_NOT_CA: { status: 400, message: 'Leading certificate is not a CA' },
  CERT_FAILED_VALIDATION: { status: 400, message: 'certificate failed to validate against CA' },
  CERT_IN_USE: { status: 409, message: 'The certificate supplied is already associated with another identity' },
  COULD_NOT_PARSE_BODY: { status: 400, message: 'The body of the request could not be parsed' },
  COULD_NOT_PARSE_DER_BLOCK: { status: 400, message: "The certificate's DER block could not be parsed" },
  COULD_NOT_PARSE_PEM_BLOCK: { status: 400, message: "The certificate's PEM block could not be parsed" },
  COULD_NOT_PROCESS_CSR: { status: 400, message: 'The supplied csr could not be processed' },
  COULD_NOT_VALIDATE: {
    status: 400,
    message: 'The supplied request contains an invalid document or no valid accept content were available, see cause',
  },
  ENROLLMENT_CA_NOT_VALID: { status: 400, message: 'The CA tied to the supplied token is no longer valid' },
  ENROLLMENT_EXPIRED: { status: 400, message: 'The window for this enrollment has expired' },
  ENROLLMENT_EXISTS: { status: 409, message: 'ENROLLMENT_EXISTS' },
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: {
    status: 409,
    message: 'The token supplied for this enrollment already has a matching identity, cannot enroll a new identity',
  },
  ENROLLMENT_NO_VALID_CAS: { status: 400, message: 'No CAs are valid for this request' },
  ENTITY_CAN_NOT_BE_DELETED: { status: 400, message: 'The entity requested for delete can not be deleted' },
  ENTITY_CAN_NOT_BE_UPDATED: { status: 400, message: 'The entity requested for update can not be updated' },
  EXPECTED_PEM_CERTIFICATE: { status: 400, message: "expected PEM block type 'CERTIFICATE'" },
  INVALID_AUTH: { status: 401, message: 'The authentication request failed' },
  INVALID_CERT_PEM: {
    status: 400,
    message: 'the supplied certificate PEM is either invalid or contains the incorrect number of certificates',
  },
  INVALID_CLIENT_CERT: { status: 400, message: 'The provided client certificate is invalid' },
  INVALID_COMMON_NAME: { status: 400, message: 'The common name of the supplied certificate is invalid' },
  INVALID_ENROLLMENT_NOT_ALLOWED: { status: 409, message: 'The configuration does not allow this enrollment' },
  INVALID_ENROLLMENT_TOKEN: { status: 400, message: 'The supplied token is not valid' },
  INVALID_ENROLL_METHOD: { status: 400, message: 'The supplied enrollment method is not valid' },
  INVALID_FIELD: { status: 400, message: 'The field contains an invalid value' },
  INVALID_FILTER: { status: 400, message: 'The filter query supplied is invalid' },
  INVALID_POSTURE: { status: 409, message: 'Posture response data is missing or wrong' },
  INVALID_SORT_IDENTIFIER: { status: 400, message: 'The sort order supplied is invalid' },
  LAST_ADMINISTRATOR: {
    status: 409,
    message: 'The change would leave no identity that can administer the controller, see cause',
  },
  MAX_API_SESSION_CERTIFICATES_REACHED: {
    status: 409,
    message: 'The API session already has the maximum of certificates, delete one',
  },
  MAX_AUTHENTICATOR_METHODS_REACHED: {
    status: 409,
    message: 'The identity already has the maximum authenticators of the specified method',
  },
  MAX_SESSIONS_REACHED: {
    status: 409,
    message: 'The API session already has the maximum of sessions, delete one',
  },
  METHOD_NOT_ALLOWED: { status: 405, message: 'The resource requested does not support this HTTP verb' },
  MFA_EXISTS: { status: 409, message: 'An MFA record already exists, try removing it' },
  MFA_INVALID_TOKEN: { status: 400, message: 'An invalid token/code was provided' },
  MFA_NOT_ENROLLED: { status: 409, message: 'The current identity is not enrolled in MFA' },
  MISSING_CERT_CLAIM: {
    status: 400,
    message: 'The certificate is expected to contain and externalId, which was not found',
  },
  MISSING_OR_INVALID_CSR: {
    status: 400,
    message: 'The supplied enrollment request is missing or contains an invalid CSR',
  },
  NO_EDGE_ROUTERS_AVAILABLE: {
    status: 400,
    message: 'No edge routers are assigned and online to handle the requested connection',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    code: 'COULD_NOT_VALIDATE',
    message: 'The supplied request contains an invalid document or no valid accept content were available, see cause',
  },
  NOT_FOUND: { status: 404, message: 'The resource requested was not found or is no longer available' },
  NOT_IMPLEMENTED: { status: 501, message: 'The operation is not available on this controller' },
  ORIGIN_NOT_ALLOWED: { status: 403, code: 'UNAUTHORIZED', message: 'The origin of the request is not allowed' },
  REQUEST_ENTITY_TOO_LARGE: { status: 413, message: 'The request body exceeds the maximum accepted size' },
  REQUEST_HEADERS_TOO_LARGE: { status: 431, message: 'The request headers exceed the maximum accepted size' },
  REQUEST_TIMEOUT: { status: 408, code: 'TIMEOUT', message: 'The request took too long to arrive' },
  SERVER_TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many requests to alter state have been issued. Please slow your request rate or try again later.',
  },
  STEP_UP_REQUIRED: {
    status: 401,
    message: 'The API session must prove again who it is, see cause',
  },
  STORE_UNAVAILABLE: { status: 503, message: 'A store that this request needs cannot be reached. Please try again' },
  TIMEOUT: { status: 503, message: 'The requested operation took too much time to reply' },
  UNAUTHORIZED: {
    status: 401,
    message: 'The request could not be completed. The session is not authorized or the credentials are invalid',
  },
  UNHANDLED: { status: 500, message: 'An unhandled error occurred' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    code: 'COULD_NOT_VALIDATE',
    message: 'The supplied request contains an invalid document or no valid accept content were available, see cause',
  },
} as const satisfies Record<string, ErrorEntry>;

/** One row of the catalogue. `code` is the code on the wire when it is not the name of the row. */
export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}

export type ErrorCode = keyof typeof errorCatalogue;
