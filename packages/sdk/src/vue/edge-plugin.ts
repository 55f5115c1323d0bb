import type { Plugin } from 'vue';
import { shallowRef } from 'vue';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { shownSnapshot } from '../bindings/shown-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import { edgeKey } from './provided-edge.ts';

/**
 * What `edgePlugin` needs.
 *
 * @example createSSRApp(App).use(edgePlugin, { client: edge, initialSession: { state: 'unknown', session: null } });
 */
export interface EdgePluginOptions {
  /** The client that the components use. Create it once for each application; on a server, once for each request. */
  readonly client: EdgeClient;
  /**
   * For a page that a server renders: what the server knew; give the same on the server and in the browser. The components show
   * it until they are mounted, and as long as the client is `unknown`.
   */
  readonly initialSession?: SessionSnapshot | undefined;
}

/**
 * Gives a client to all components of an application. It makes no request and does not dispose the client.
 *
 * @example
 * import { createEdgeClient, webStorage } from '@edge-controller/sdk';
 * import { edgePlugin } from '@edge-controller/sdk/vue';
 * import { createApp } from 'vue';
 *
 * const edge = createEdgeClient('https://localhost:1280', { storage: webStorage('local') });
 * edge.restore().catch(() => null);
 * createApp(App).use(edgePlugin, { client: edge }).mount('#app');
 */
export const edgePlugin: Plugin<EdgePluginOptions> = {
  install(app, { client, initialSession }) {
    const session = shallowRef(initialSession ?? client.getSnapshot());
    const update = () => {
      session.value = shownSnapshot(client, initialSession);
    };
    app.provide(edgeKey, { client, session, update, isHydrating: initialSession !== undefined });
  },
};
