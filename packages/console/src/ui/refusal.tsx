import { refusalOf } from '../api/explain-error.ts';

/** What stands where the person may not do something: `see identities`. */
export function Refusal({ act }: { readonly act: string }) {
  return <p className="soft">{refusalOf(act)}</p>;
}
