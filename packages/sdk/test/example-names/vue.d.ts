// Further names for the examples of `@edge-controller/sdk/vue`.
import type { Component } from 'vue';

export { computed, createApp, createSSRApp, watch } from 'vue';
export const App: Component;
