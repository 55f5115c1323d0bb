/** How somebody signs in, when no provider does it. */
export type Method = 'password' | 'certificate' | 'token';
