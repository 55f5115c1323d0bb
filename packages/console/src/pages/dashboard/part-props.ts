export interface PartProps {
  /** Milliseconds after which the part asks again; `false`: it does not. */
  readonly interval: number | false;
}
