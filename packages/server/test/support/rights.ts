import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import type { TestController } from './controller.ts';
import { startController } from './controller.ts';
import type { Subject } from './subjects.ts';
import { addSubject } from './subjects.ts';

const api = '/edge/management/v1';

export const allowed = { status: 200 };
/** The refusal of somebody who has the permission of the operation. */
export const lacking = {
  status: 401,
  body: { error: { code: 'UNAUTHORIZED', cause: { message: expect.any(String) } } },
};

export const identity = ({ ids }: Subject) => `/identities/${ids.identities}`;
export const enrollment = ({ ids }: Subject) => `/enrollments/${ids.enrollments}`;

/** A controller for all cases of a file; each case has an administrator (`boss`) and an identity without rights (`somebody`). */
export function withSubjects(open: () => Promise<ControllerOptions>) {
  let server: TestController;
  let admin: string;
  let boss: Subject;
  let somebody: Subject;
  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    boss = await addSubject(server, admin, { isAdmin: true });
    somebody = await addSubject(server, admin);
  });
  const send = ({ token }: { readonly token: string }, method: string, path: string, body?: object) =>
    server.wire(method, api + path, { token, ...(body && { body }) });
  const manage = (method: string, path: string, body?: object) => send({ token: admin }, method, path, body);
  return {
    get server() {
      return server;
    },
    get admin() {
      return admin;
    },
    get boss() {
      return boss;
    },
    get somebody() {
      return somebody;
    },
    /** An identity with these permissions. */
    holder: (...permissions: string[]) => addSubject(server, admin, { permissions }),
    send,
    manage,
    read: async (path: string) => (await manage('GET', path)).body.data,
  };
}
