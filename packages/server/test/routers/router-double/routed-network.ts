import { mtls } from '@edge-controller/sdk/node';
import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { EdgeApplication } from './edge-application.ts';
import { connectApplication } from './frame-peer.ts';

/** An identity that is signed in with its certificate, may use every service, and has asked for its routers. */
export interface RoutedIdentity {
  /** The token of its API session. */
  readonly token: string;
  readonly identityId: string;
  session(serviceId: string, type: 'Dial' | 'Bind'): Promise<string>;
  /** Connects to a router. */
  connect(router: Pick<TestRouter, 'url'>, token?: string): Promise<EdgeApplication>;
  signOut(): Promise<void>;
}

export async function signIn(controller: TestController, known?: { readonly id: string }): Promise<RoutedIdentity> {
  const { id: identityId } = known ?? (await controller.createIdentity({ type: 'Device', password: null }));
  const identity = await controller.clientCertificate({ id: identityId });
  const kept = { token: '' };
  const edge = controller.client({
    fetch: mtls(identity),
    storage: {
      get: () => null,
      set: (_key, token) => {
        kept.token = token;
      },
      remove: () => undefined,
    },
  });
  await edge.signIn.certificate();
  await edge.client.currentIdentityEdgeRouters.list();
  return {
    identityId,
    get token() {
      return kept.token;
    },
    session: async (serviceId, type) => (await edge.sessions.create({ serviceId, type })).token,
    async connect({ url }, token = kept.token) {
      const { key, cert } = identity;
      const peer = await connectApplication({ ca: controller.ca }, Number(new URL(url).port), { key, cert });
      return EdgeApplication.open(peer, token);
    },
    async signOut() {
      await edge.signOut();
    },
  };
}
