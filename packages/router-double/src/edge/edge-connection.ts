/** What a connection id of an application stands for: what it dialed, what it accepted, or what it hosts. */
export interface EdgeConnection {
  /** The application sent data. */
  data(flags: number | undefined, body: Uint8Array): void;
  /** The application closed it, or its channel has ended. */
  closed(): void;
}
