import { createEdgeClient, webStorage } from '@edge-controller/sdk';
import { edgePlugin } from '@edge-controller/sdk/vue';
import { createApp } from 'vue';
import '../browser-sign-in/style.css';
import App from './app.vue';

const edge = createEdgeClient(import.meta.env.EDGE_URL, { storage: webStorage('local'), keepAlive: true });
// When the controller cannot be reached, the state stays `unknown`, and the client asks again by itself.
edge.restore().catch(() => null);

createApp(App).use(edgePlugin, { client: edge }).mount('#app');
