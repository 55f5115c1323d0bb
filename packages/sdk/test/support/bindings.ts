import { compile } from 'svelte/compiler';

/** The name of a framework whose entry has the name of it. */
export type Framework = 'react' | 'vue' | 'svelte' | 'solid';

/**
 * What all applications show: one line with the session and the sign-in. A page keeps all lines in `lines`, and the result of
 * `useSignIn` in `form`.
 */
const line = `
  const isPage = 'document' in globalThis;
  if (isPage) globalThis.lines = [];
  function line({ state, session }, { isPending, error }) {
    const text = [state, session?.identity.name ?? '-', isPending ? 'pending' : 'idle', error ? 'error' : 'fine'].join(' ');
    if (isPage) globalThis.lines.push(text);
    return text;
  }
  function keep(form) {
    if (isPage) globalThis.form = form;
    return form;
  }
`;

const element = `const element = () => document.querySelector('#app');`;

const react = `
  import { createElement, StrictMode } from 'react';
  import { createRoot, hydrateRoot } from 'react-dom/client';
  import { renderToString } from 'react-dom/server';
  import { EdgeProvider, useSession, useSignIn } from './react/index.ts';
  function Line() {
    const form = keep(useSignIn());
    return createElement('p', null, line(useSession(), form));
  }
  const app = (props) => createElement(StrictMode, null, createElement(EdgeProvider, props, createElement(Line)));
  export const render = async (props) => renderToString(app(props));
  export function start(props) {
    const root = createRoot(element());
    root.render(app(props));
    return () => root.unmount();
  }
  export const hydrate = (props) => hydrateRoot(element(), app(props));
`;

const vue = `
  import { createApp, createSSRApp, h } from 'vue';
  import { renderToString } from 'vue/server-renderer';
  import { edgePlugin, useSession, useSignIn } from './vue/index.ts';
  const App = {
    setup() {
      const form = keep(useSignIn());
      const session = useSession();
      return () => h('p', line(session.value, { isPending: form.isPending.value, error: form.error.value }));
    },
  };
  export const render = (props) => renderToString(createSSRApp(App).use(edgePlugin, props));
  export function start(props) {
    const app = createApp(App).use(edgePlugin, props);
    app.mount('#app');
    return () => app.unmount();
  }
  export const hydrate = (props) => createSSRApp(App).use(edgePlugin, props).mount('#app');
`;

const solid = `
  import { createComponent, createEffect } from 'solid-js';
  import { isServer, render as renderInto, renderToString } from 'solid-js/web';
  import { EdgeProvider, useSession, useSignIn } from './solid/index.ts';
  function Line() {
    const form = keep(useSignIn());
    const session = useSession();
    if (isServer) return line(session, form);
    const output = document.createElement('p');
    createEffect(() => {
      output.textContent = line(session, form);
    });
    return output;
  }
  const app = (props) => createComponent(EdgeProvider, { ...props, get children() { return createComponent(Line, {}); } });
  export const render = async (props) => renderToString(() => app(props));
  export const start = (props) => renderInto(() => app(props), element());
`;

/** The compiler makes another component for a server. */
function svelte(target: 'client' | 'server'): string {
  const source = `
    <script>
      import { provideEdge, useSession, useSignIn } from './svelte/index.ts';
      let { client, initialSession } = $props();
      provideEdge(client, initialSession);
      const session = useSession();
      const form = keep(useSignIn());
    </script>
    <p>{line(session, form)}</p>
  `;
  const { code } = compile(source, { generate: target, name: 'App' }).js;
  const component = code.replace('export default ', '');
  if (target === 'server') {
    return `
      import { render as renderComponent } from 'svelte/server';
      ${component}
      export const render = async (props) => renderComponent(App, { props }).body;
    `;
  }
  return `
    import { hydrate as hydrateInto, mount, unmount } from 'svelte';
    ${component}
    export function start(props) {
      const app = mount(App, { target: element(), props });
      return () => unmount(app);
    }
    export const hydrate = (props) => hydrateInto(App, { target: element(), props });
  `;
}

/** The source of an application: `start` and `hydrate` in a page, `render` on a server. */
export function applicationOf(framework: Framework, target: 'client' | 'server'): string {
  const source = { react, vue, solid, svelte: svelte(target) }[framework];
  return `${line} ${element} ${source}`;
}
