import type { ApiName, Field } from '@edge-controller/operation-tables';
import type { Draft } from './draft.ts';

/** What a control gets of its field. */
export interface FieldProps {
  readonly field: Field;
  readonly api: ApiName;
  /** The resource of the form. */
  readonly resource: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly label: string;
  readonly description: string | undefined;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  /** The controller keeps a value, which can be changed but not removed. */
  readonly isKept: boolean;
}
