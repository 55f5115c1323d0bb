import type { Row } from '@edge-controller/operation-tables';
import { useEffect, useId, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import { needsQuestion } from '../../api/console-operations.ts';
import { titleOf } from '../../api/titles.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { useUnsavedInput } from '../../ui/unsaved-input.ts';
import { FieldsForm } from './fields-form.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import type { Part } from './operation-drafts.ts';
import { parts } from './operation-drafts.ts';
import type { OperationFormOptions } from './use-operation-form.ts';
import { useOperationForm } from './use-operation-form.ts';

interface OperationFormProps extends OperationFormOptions {
  /** What the button shows: `Save`. */
  readonly submitLabel: string;
  readonly onCancel?: () => void;
  /** Runs without a question, because the person was asked already. */
  readonly isConfirmed?: boolean;
  /** Asks before somebody leaves with something that is not saved. `onCancel` must not ask again. */
  readonly asksToLeave?: boolean;
}

const titles: Readonly<Record<Part, string>> = {
  path: 'Which one',
  query: 'Query',
  headers: 'Headers',
  body: 'Body',
};

/** A form with all fields of an operation, which runs it. */
export function OperationForm({
  submitLabel,
  onCancel,
  isConfirmed = false,
  asksToLeave = false,
  ...options
}: OperationFormProps) {
  const { operation, entity } = options;
  const form = useOperationForm(options);
  useUnsavedInput(form.isUnsaved);
  const formId = useId();
  const [isAsking, setIsAsking] = useState(false);
  const [isCancelling, setIsCancelling] = useState(false);
  const wrong = useWrongFields(form, formId);
  const isUnchanged = entity !== undefined && !form.isChanged;

  return (
    <Form
      className="entity-form"
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        const unchosen = event.currentTarget.querySelector<HTMLElement>('[data-unchosen] input');
        if (unchosen) goTo(unchosen);
        else if (needsQuestion(operation) && !isConfirmed) setIsAsking(true);
        else form.submit();
      }}
    >
      {parts.map((part) => (
        <PartFields key={part} {...{ part, form, formId, operation, entity }} />
      ))}
      <ErrorNotice error={form.error} />
      {wrong.length > 0 && <WrongFields wrong={wrong} />}
      <div className="row">
        <Button type="submit" kind={kindOf(operation)} isDisabled={form.isPending || isUnchanged}>
          {submitLabel}
        </Button>
        {onCancel && (
          <Button onPress={() => (asksToLeave && form.isUnsaved ? setIsCancelling(true) : onCancel())}>Cancel</Button>
        )}
      </div>
      {asksToLeave && (
        <LeaveQuestion
          isUnsaved={form.isUnsaved}
          isCancelling={isCancelling}
          onCancel={() => onCancel?.()}
          onStay={() => setIsCancelling(false)}
        />
      )}
      <RunQuestion
        {...{ operation, submitLabel }}
        isOpen={isAsking}
        onRun={form.submit}
        onClose={() => setIsAsking(false)}
      />
    </Form>
  );
}

/** The fields that are not right. After each refusal the first of them gets the focus. */
function useWrongFields(form: FormState, formId: string): readonly WrongField[] {
  const wrong = wrongFields(form, formId);
  const [firstWrong] = wrong;
  const shownRefusals = useRef(0);
  useEffect(() => {
    if (form.refusals === shownRefusals.current) return;
    shownRefusals.current = form.refusals;
    if (firstWrong) goToField(firstWrong.place);
  }, [form.refusals, firstWrong]);
  return wrong;
}

const kindOf = ({ entry }: OperationFormProps['operation']) => (entry.method === 'DELETE' ? 'danger' : 'primary');

interface RunQuestionProps extends Pick<OperationFormProps, 'operation' | 'submitLabel'> {
  readonly isOpen: boolean;
  readonly onRun: () => void;
  readonly onClose: () => void;
}

function RunQuestion({ operation, submitLabel, isOpen, onRun, onClose }: RunQuestionProps) {
  const kind = kindOf(operation);
  return (
    <Modal title={`${operation.entry.summary}?`} isOpen={isOpen} onClose={onClose}>
      <p>{kind === 'danger' ? 'This cannot be undone.' : 'The controller does it at once.'}</p>
      <div className="row">
        <Button
          kind={kind}
          onPress={() => {
            onClose();
            onRun();
          }}
        >
          {submitLabel}
        </Button>
        <Button onPress={onClose}>Cancel</Button>
      </div>
    </Modal>
  );
}

function WrongFields({ wrong }: { readonly wrong: readonly WrongField[] }) {
  return (
    <Notice kind="bad">
      Some fields are not right. What you have typed is still here.
      <ul className="wrong-fields">
        {wrong.map(({ place, title }) => (
          <li key={place}>
            <a
              href={`#${place}`}
              onClick={(event) => {
                event.preventDefault();
                goToField(place);
              }}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

type FormState = ReturnType<typeof useOperationForm>;

const placeOf = (formId: string, part: Part, at: number, name: string) => `${formId}-${part}-${at}-${name}`;

interface WrongField {
  /** The id of its place. */
  readonly place: string;
  readonly title: string;
}

/** The fields that have errors, in the order of the form. Those of objects in a field come last. */
function wrongFields({ fields, errors }: FormState, formId: string): readonly WrongField[] {
  return parts.flatMap((part) =>
    errors[part].flatMap((wrong, at) => {
      const names = new Set([...fields[part].map(({ name }) => name), ...Object.keys(wrong)]);
      return [...names]
        .filter((name) => wrong[name] !== undefined)
        .map((name) => ({ place: placeOf(formId, part, at, name), title: titleOf(counted(name)) }));
    }),
  );
}

/** `processes.0.path` → `processes.1.path`: people count from 1. */
function counted(name: string): string {
  return name.replaceAll(/\.(\d+)\./g, (_all, at: string) => `.${Number(at) + 1}.`);
}

function goToField(place: string): void {
  const control = document.getElementById(place)?.querySelector<HTMLElement>('input, textarea, button');
  if (control) goTo(control);
}

function goTo(control: HTMLElement): void {
  control.scrollIntoView({ block: 'center' });
  control.focus({ preventScroll: true });
}

interface PartFieldsProps extends Pick<OperationFormOptions, 'operation'> {
  readonly entity: Row | undefined;
  readonly part: Part;
  readonly form: FormState;
  readonly formId: string;
}

/** The fields of one part of the request. The parts have titles when there are several. */
function PartFields({ part, form, formId, entity, operation: { api, resource, entry } }: PartFieldsProps) {
  const { fields, drafts, kept, errors, change, addBody, removeBody } = form;
  if (fields[part].length === 0) return null;
  const isList = part === 'body' && entry.isBodyList === true;
  const isOnly = parts.filter((one) => fields[one].length > 0).length === 1;
  const frames = drafts[part].map((one, at) => {
    const controls = (
      <FieldsForm
        key={part}
        {...{ api, resource, entity }}
        fields={fields[part]}
        drafts={one}
        kept={part === 'body' ? kept?.body[at] : undefined}
        errors={errors[part][at] ?? {}}
        placeOf={(name) => placeOf(formId, part, at, name)}
        onChange={(name, draft) => change(part, at, name, draft)}
      />
    );
    const title = isList ? `Entry ${at + 1}` : titles[part];
    if (isOnly && !isList) return controls;
    return (
      <fieldset className="field-group" key={title}>
        <legend>{title}</legend>
        {controls}
        {isList && drafts.body.length > 1 && (
          <div className="row">
            <Button onPress={() => removeBody(at)}>Remove entry {at + 1}</Button>
          </div>
        )}
      </fieldset>
    );
  });
  if (!isList) return frames;
  return (
    <>
      {frames}
      <div className="row">
        <Button onPress={addBody}>Add an entry</Button>
      </div>
    </>
  );
}
