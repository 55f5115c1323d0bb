interface ImportMetaEnv {
  /** Address of the controller. */
  readonly EDGE_URL: string;
}

declare module '*.vue' {
  const component: import('vue').Component;
  export default component;
}
