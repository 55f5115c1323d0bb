interface ImportMetaEnv {
  /** Address of the controller. */
  readonly EDGE_URL: string;
}
