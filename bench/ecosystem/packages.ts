/** What is measured: an exact version, and the import that an application would write. */
export interface Measured {
  readonly name: string;
  readonly version: string;
  readonly code: string;
  /** The import for who wants one file. Default: `code`. */
  readonly oneFile?: string;
  /** The files that load later and that a sign-in and a call need: what their names begin with. */
  readonly parts?: readonly string[];
  /** Of the bundle. Default: `browser`. */
  readonly platform?: 'browser' | 'neutral';
  /** It has native code: no bundle, and no import without an install script. */
  readonly native?: true;
}

const imports = (name: string, version: string, names: string, subpath = ''): Measured => ({
  ...{ name, version },
  code: `export { ${names} } from '${name}${subpath}';`,
});

export const others: readonly Measured[] = [
  imports('ky', '2.1.0', 'default'),
  imports('@openziti/ziti-browzer-edge-client', '0.7.0', 'ZitiBrowzerEdgeClient'),
  imports('@simplewebauthn/browser', '14.0.0', 'startRegistration, startAuthentication'),
  imports('keycloak-js', '26.2.4', 'default'),
  imports('@ory/client-fetch', '1.22.66', 'FrontendApi'),
  imports('better-auth', '1.7.24', 'createAuthClient', '/client'),
  imports('@logto/browser', '3.0.14', 'default'),
  imports('oidc-client-ts', '3.5.0', 'UserManager'),
  imports('@supabase/auth-js', '2.119.0', 'AuthClient'),
  { name: 'openid-client', version: '6.8.9', code: "export * from 'openid-client';" },
  imports('@ory/client', '1.22.66', 'FrontendApi'),
  imports('@auth0/auth0-spa-js', '2.27.0', 'Auth0Client'),
  imports('@clerk/clerk-js', '6.40.0', 'Clerk'),
  { ...imports('@openziti/ziti-sdk-nodejs', '0.13.3', 'default'), native: true },
  imports('jose', '6.2.17', 'jwtVerify, createRemoteJWKSet'),
];

const sdk = '@edge-controller/sdk';
const parts = ['client-session', 'prepare-call', 'sign-in'];

/** As a page loads it. */
export const ours = (version: string): Measured => ({
  ...{ ...imports(sdk, version, 'createEdgeClient'), parts },
  oneFile: imports(sdk, version, 'createEdgeClient', '/single').code,
});

/** As all others load it. */
export const oursWithKy = (version: string): Measured => ({
  ...{ ...imports(sdk, version, 'createEdgeClient'), parts, platform: 'neutral' },
});
