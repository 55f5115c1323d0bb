// The package has no types.
declare module 'workerd' {
  /** The path of the program for this platform. */
  const path: string;
  // biome-ignore lint/style/noDefaultExport: it is what the package has.
  export default path;
}
