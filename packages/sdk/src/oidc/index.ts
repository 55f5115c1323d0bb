export { createOidc, type Oidc, type OidcOptions, type OidcSigner } from './create-oidc.ts';
export { EdgeOidcError, isEdgeOidcError, type OidcErrorCode } from './oidc-error.ts';
