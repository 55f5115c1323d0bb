import type { ReactNode } from 'react';
import { useState } from 'react';
import { explainError } from '../../api/explain-error.ts';
import { ReferenceBox } from '../../entities/form/reference-box.tsx';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { AuditFields } from './audit-filter.ts';
import { expressionOf, fieldsOf, noFields } from './audit-filter.ts';
import { eventLabels } from './event-labels.ts';

/** A choice that a filter does not make. Options have an id that is not empty. */
const any = 'any';
const events = [
  { id: any, label: 'Any event' },
  ...Object.entries(eventLabels).map(([id, label]) => ({ id, label: `${label} (${id})` })),
];
const outcomes = [
  { id: any, label: 'Any outcome' },
  { id: 'success', label: 'Done' },
  { id: 'failure', label: 'Refused' },
];

interface AuditFilterFormProps {
  readonly expression: string;
  readonly onFilter: (expression: string) => void;
  /** Why the controller refused the expression. */
  readonly error: unknown;
  /** What stands beside the button. */
  readonly children: ReactNode;
}

/** Fields that make a filter expression, and the expression, which may say more. */
export function AuditFilterForm({ expression, onFilter, error, children }: AuditFilterFormProps) {
  const [{ fields, typed }, setState] = useState(() => ({ fields: fieldsOf(expression), typed: expression }));

  function change(part: Partial<AuditFields>): void {
    setState((before) => {
      const next = { ...before.fields, ...part };
      return { fields: next, typed: expressionOf(next) };
    });
  }

  function clear(): void {
    setState({ fields: noFields, typed: '' });
    onFilter('');
  }

  return (
    <Form className="card" onSubmit={() => onFilter(typed.trim())}>
      <Fields fields={fields} onChange={change} />
      <TextField
        label="Filter expression"
        description="The fields above write it. You can change it before you apply it."
        error={error ? explainError(error).text : undefined}
        rows={2}
        value={typed}
        onChange={(text) => setState((before) => ({ ...before, typed: text }))}
        maxLength={4_000}
        spellCheck="false"
        autoComplete="off"
      />
      <div className="row">
        <Button type="submit" kind="primary">
          Apply
        </Button>
        <Button onPress={clear}>Clear</Button>
        {children}
      </div>
    </Form>
  );
}

interface FieldsProps {
  readonly fields: AuditFields;
  readonly onChange: (part: Partial<AuditFields>) => void;
}

function Fields({ fields, onChange }: FieldsProps) {
  const choice = (value: string) => (value === any ? '' : value);
  return (
    <div className="audit-fields">
      <Select
        label="Event"
        options={events}
        value={fields.event || any}
        onChange={(event) => onChange({ event: choice(event) })}
      />
      <Select
        label="Outcome"
        options={outcomes}
        value={fields.outcome || any}
        onChange={(outcome) => onChange({ outcome: choice(outcome) })}
      />
      <ReferenceBox
        api="management"
        label="Identity"
        description="Who acted, or whom it concerns."
        to="identities"
        id={fields.identityId}
        onChange={(identityId) => onChange({ identityId })}
      />
      <TextField
        label="Id of the entity"
        value={fields.entityId}
        onChange={(entityId) => onChange({ entityId: entityId.trim() })}
        maxLength={100}
        autoComplete="off"
      />
      <TextField label="From" type="datetime-local" value={fields.from} onChange={(from) => onChange({ from })} />
      <TextField label="Until" type="datetime-local" value={fields.until} onChange={(until) => onChange({ until })} />
    </div>
  );
}
