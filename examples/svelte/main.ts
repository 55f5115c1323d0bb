import { createEdgeClient, webStorage } from '@edge-controller/sdk';
import { mount } from 'svelte';
import '../browser-sign-in/style.css';
import App from './app.svelte';

const edge = createEdgeClient(import.meta.env.EDGE_URL, { storage: webStorage('local'), keepAlive: true });
// When the controller cannot be reached, the state stays `unknown`, and the client asks again by itself.
edge.restore().catch(() => null);

mount(App, { target: document.querySelector('#app') ?? document.body, props: { edge } });
