/** The methods of the node-redis command parser that the scripts use. */
export interface Parser {
  pushKey(key: string): void;
  push(...values: string[]): void;
}
