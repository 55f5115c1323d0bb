/** The part of the Fetch API that the SDK needs. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
