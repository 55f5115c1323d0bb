import type { TestController } from './controller.ts';

/** Calls with the session of a test, which `session` returns once the controller has started. */
export function callsOf(session: () => { readonly server: TestController; readonly token: string }) {
  const send = (method: string, path: string, body?: unknown) => {
    const { server, token } = session();
    return server.wire(method, path, { token, ...(body === undefined ? {} : { body }) });
  };
  return {
    send,
    /** The `data` of a response. */
    read: async (path: string) => (await send('GET', path)).body.data,
    /** Status, code, and what the cause names. */
    refusal: async (method: string, path: string, body?: unknown) => {
      const { status, body: refused } = await send(method, path, body);
      return [status, refused.error?.code, refused.error?.cause?.field ?? refused.error?.cause?.message];
    },
  };
}
