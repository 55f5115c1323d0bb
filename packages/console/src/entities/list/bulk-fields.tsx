import type { Field } from '@edge-controller/operation-tables';
import { titleOf } from '../../api/titles.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { descriptionOf, isNeeded } from '../form/field-text.ts';
import { ListField } from '../form/list-field.tsx';
import { textsOf } from './bulk-roles.ts';

export type Body = Readonly<Record<string, unknown>>;

interface ListBulkFieldsProps {
  readonly resource: string;
  readonly fields: readonly Field[];
  readonly body: Body;
  readonly onChange: (body: Body) => void;
}

/** The few members that an operation for many entities needs, such as for how long they are disabled. */
export function ListBulkFields({ resource, fields, body, onChange }: ListBulkFieldsProps) {
  return fields.map((field) => {
    const { name, type } = field;
    const change = (value: unknown) => onChange({ ...body, [name]: value });
    if (type === 'boolean') {
      return (
        <Checkbox key={name} isSelected={body[name] === true} onChange={change}>
          {titleOf(name)}
        </Checkbox>
      );
    }
    if (field.isList) {
      return (
        <ListField
          key={name}
          api="management"
          {...{ field, resource }}
          label={titleOf(name)}
          description={undefined}
          draft={textsOf(body[name])}
          onChange={change}
          error={undefined}
          isRequired={isNeeded(field)}
          isKept={false}
        />
      );
    }
    const isNumber = type === 'integer' || type === 'number';
    return (
      <TextField
        key={name}
        label={titleOf(name)}
        description={descriptionOf(field)}
        type={isNumber ? 'number' : 'text'}
        value={String(body[name] ?? '')}
        onChange={(text) => change(isNumber && text !== '' ? Number(text) : text)}
        isRequired={isNeeded(field)}
      />
    );
  });
}
