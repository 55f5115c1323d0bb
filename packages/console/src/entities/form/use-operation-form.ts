import type { Row } from '@edge-controller/operation-tables';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { callOf } from '../../api/calls.ts';
import type { ConsoleOperation } from '../../api/console-operations.ts';
import { explainError } from '../../api/explain-error.ts';
import { useBodyFields } from '../../api/tables.ts';
import type { Draft, Drafts } from './draft.ts';
import { isFormDraft } from './draft.ts';
import type { OperationFields, Part, PartDrafts, PartErrors } from './operation-drafts.ts';
import { emptyDrafts, fieldsOf, noErrors, parts, readArguments } from './operation-drafts.ts';
import { fieldNamed } from './read-body.ts';

export interface OperationFormOptions {
  readonly operation: ConsoleOperation;
  /** The parameters of the path that are known. */
  readonly given?: readonly string[];
  /** What the form shows at first. PATCH sends what differs. */
  readonly entity?: Row;
  /** `body`: what was sent. */
  readonly onAnswer: (answer: unknown, body: unknown) => void;
}

interface SentForm {
  readonly args: readonly unknown[];
  readonly drafts: PartDrafts;
}

const nothingGiven: readonly string[] = [];

/** The state of a form that runs an operation. What was typed stays, whatever the controller answers. */
export function useOperationForm({ operation, given = nothingGiven, entity, onAnswer }: OperationFormOptions) {
  const { api, resource, verb, entry } = operation;
  const queries = useQueryClient();
  const body = useBodyFields(entry);
  const fields = useMemo(() => fieldsOf(entry, body, given.length), [entry, body, given.length]);
  const [first] = useState(() => emptyDrafts(fields, entity));
  const kept = entity !== undefined && entry.method === 'PATCH' ? first : undefined;
  const { drafts, errors, setErrors, ...changes } = useDrafts(first);
  const [saved, setSaved] = useState(first);
  const [refusals, setRefusals] = useState(0);

  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: ({ args }: SentForm) => callOf(api, resource, verb)(...args),
    onSuccess: (answer, sent) => {
      setSaved(sent.drafts);
      if (entry.method !== 'GET') void queries.invalidateQueries();
      onAnswer(answer, entry.body && sent.args.at(-1));
    },
    onError: (failure) => refuse(errorsAtFields(failure, fields, drafts.body[0] ?? {})),
  });

  function refuse(found: PartErrors): void {
    setErrors(found);
    setRefusals((count) => count + 1);
  }

  /** Returns whether the request was sent. */
  function submit(): boolean {
    const read = readArguments(entry, fields, { drafts, given, first: kept });
    if (!read.isRight) refuse(read.errors);
    else {
      setErrors(noErrors);
      mutate({ args: read.args, drafts });
    }
    return read.isRight;
  }

  const hasFieldError = parts.some((part) => errors[part].some((one) => Object.keys(one).length > 0));
  return {
    ...{ fields, drafts, kept, errors, ...changes, submit, isPending, isSuccess, hasFieldError },
    /** How often the form was refused. */
    refusals,
    /** An error that belongs to no field. */
    error: hasFieldError ? null : error,
    /** Something was typed that no request has sent. */
    isUnsaved: JSON.stringify(drafts) !== JSON.stringify(saved),
    isChanged: JSON.stringify(drafts) !== JSON.stringify(first),
  };
}

/** What was typed, and the errors at its fields. The error at a field goes when the field changes. */
function useDrafts(first: PartDrafts) {
  const [drafts, setDrafts] = useState(first);
  const [errors, setErrors] = useState<PartErrors>(noErrors);

  function change(part: Part, at: number, name: string, draft: Draft): void {
    const ofPart = drafts[part].map((one, place) => (place === at ? { ...one, [name]: draft } : one));
    setDrafts({ ...drafts, [part]: ofPart });
    setErrors({
      ...errors,
      [part]: ofPart.map((_one, place) => errorsWithout(place === at ? name : null, errors[part][place])),
    });
  }

  return {
    ...{ drafts, errors, setErrors, change },
    addBody: () => setDrafts({ ...drafts, body: [...drafts.body, ...first.body] }),
    removeBody: (at: number) => setDrafts({ ...drafts, body: drafts.body.filter((_one, place) => place !== at) }),
  };
}

/** The errors without those of a field and of what is in it. */
function errorsWithout(name: string | null, errors: PartErrors[Part][number] = {}) {
  if (name === null) return errors;
  return Object.fromEntries(Object.entries(errors).filter(([own]) => own !== name && !own.startsWith(`${name}.`)));
}

/** The error of the API at the field that it names; nothing when no field has the name. */
function errorsAtFields(failure: unknown, fields: OperationFields, drafts: Drafts): PartErrors {
  const { reason, field } = explainError(failure);
  if (field === null) return noErrors;
  for (const part of ['body', 'query', 'path', 'headers'] as const) {
    const name = fieldNamed(fields[part], field);
    if (name !== null) return { ...noErrors, [part]: [{ [name]: sentenceOf(reason) }] };
  }
  const described = fields.body.find(({ schema }) => schema);
  if (described === undefined) return noErrors;
  // The controller names a member of what a JSON schema describes by its path there.
  const draft = drafts[described.name];
  const inner = isFormDraft(draft) ? fieldNamed(draft.fields, `${described.name}.${field}`) : null;
  return { ...noErrors, body: [{ [inner ?? described.name]: sentenceOf(reason) }] };
}

/** The reason of the controller begins in lower case and has no full stop. */
function sentenceOf(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? '' : '.'}`;
}
