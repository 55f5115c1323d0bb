import type { Field } from '@edge-controller/operation-tables';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { callOf } from '../../api/calls.ts';
import { useBodyFields } from '../../api/tables.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { isNeeded } from '../form/field-text.ts';
import type { BulkAction } from './bulk-actions.ts';
import { consequenceOf } from './bulk-actions.ts';
import type { Body } from './bulk-fields.tsx';
import { ListBulkFields } from './bulk-fields.tsx';
import { changeRoles, textsOf } from './bulk-roles.ts';
import { BulkRun } from './bulk-run.ts';
import { countOf } from './words.ts';

interface ListBulkDialogProps {
  readonly resource: string;
  readonly action: BulkAction;
  /** Names by id. */
  readonly selection: ReadonlyMap<string, string>;
  /** Called with the ids of those that it was done to. */
  readonly onClose: (doneIds: readonly string[]) => void;
}

/** Asks, does it to all selected entities, and says what became of it. */
export function ListBulkDialog({ resource, action, selection, onClose }: ListBulkDialogProps) {
  const queries = useQueryClient();
  const [run, setRun] = useState<BulkRun | null>(null);
  useEffect(() => () => run?.stop(), [run]);
  const start = (body: Body) => {
    const started = new BulkRun(selection, actOf(resource, action, body));
    setRun(started);
    void started.run();
  };
  const close = () => {
    onClose(run?.doneIds ?? []);
    void queries.invalidateQueries({ queryKey: ['list'] });
    void queries.invalidateQueries({ queryKey: ['entity'] });
  };
  const title = titleOfAll(action, countOf(selection.size, resource));
  return (
    <Modal title={title} isOpen {...(run === null && { onClose: close })}>
      {(cancel) =>
        run === null ? (
          <Suspense fallback={<p className="soft">Loading …</p>}>
            <Question {...{ resource, action, selection, title }} onStart={start} onCancel={cancel} />
          </Suspense>
        ) : (
          <Progress run={run} title={action.title} onClose={close} />
        )
      }
    </Modal>
  );
}

function actOf(resource: string, { verb, entry, roles }: BulkAction, body: Body): (id: string) => Promise<unknown> {
  if (roles !== undefined) return (id) => changeRoles(resource, id, roles, textsOf(body[roles.field.name]));
  const call = callOf('management', resource, verb);
  return (id) => (entry.body === undefined ? call(id) : call(id, body));
}

/** `Delete 2 identities`, `Add role attributes to 2 identities`. */
function titleOfAll({ title, roles }: BulkAction, entities: string): string {
  if (roles === undefined) return `${title} ${entities}`;
  return `${title} ${roles.isAdding ? 'to' : 'from'} ${entities}`;
}

interface QuestionProps extends Omit<ListBulkDialogProps, 'onClose'> {
  readonly title: string;
  readonly onStart: (body: Body) => void;
  readonly onCancel: () => void;
}

const namesShown = 5;

function Question({ resource, action, selection, title, onStart, onCancel }: QuestionProps) {
  const bodyFields = useBodyFields(action.entry);
  const fields = action.roles ? [action.roles.field] : bodyFields;
  const [first] = useState(() => firstBody(fields));
  const [body, setBody] = useState(first);
  const isComplete = fields.every((field) => !isNeeded(field) || isGiven(body[field.name]));
  const names = [...selection.values()];
  return (
    <Form
      validationBehavior="aria"
      isUnsaved={JSON.stringify(body) !== JSON.stringify(first)}
      onSubmit={() => onStart(sentBody(fields, body))}
    >
      <ul className="bulk-names">
        {names.slice(0, namesShown).map((name, at) => (
          <li key={`${at} ${name}`}>{name}</li>
        ))}
        {names.length > namesShown && <li>and {(names.length - namesShown).toLocaleString()} more</li>}
      </ul>
      <p>{explanationOf(resource, action)}</p>
      <ListBulkFields resource={resource} fields={fields} body={body} onChange={setBody} />
      <div className="row">
        <Button type="submit" kind={action.isDanger ? 'danger' : 'primary'} isDisabled={!isComplete}>
          {title}
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </Form>
  );
}

function explanationOf(resource: string, { verb, entry, roles }: BulkAction): string {
  if (roles !== undefined) return 'All other role attributes stay as they are.';
  return verb === 'delete' ? `${consequenceOf(resource)} This cannot be undone.` : `${entry.summary}.`;
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : (value ?? '') !== '';
}

function firstBody(fields: readonly Field[]): Body {
  return Object.fromEntries(fields.filter(({ type }) => type === 'boolean').map(({ name }) => [name, false]));
}

/** What was given, and what stands for nothing. */
function sentBody(fields: readonly Field[], body: Body): Body {
  const empty = fields.filter(({ name, ifEmpty }) => ifEmpty !== undefined && !isGiven(body[name]));
  return { ...body, ...Object.fromEntries(empty.map(({ name, ifEmpty }) => [name, ifEmpty])) };
}

interface ProgressProps {
  readonly run: BulkRun;
  readonly title: string;
  readonly onClose: () => void;
}

function Progress({ run, title, onClose }: ProgressProps) {
  const { phase, total, done, failed, failures, problem } = useSyncExternalStore(run.subscribe, run.snapshot);
  return (
    <div className="stack">
      <ProgressBar label={title} value={done + failed} total={total} />
      {phase !== 'running' && (
        <Notice kind={failed > 0 ? 'bad' : 'good'}>
          {phase === 'stopped' && 'Stopped. '}
          {done.toLocaleString()} done
          {failed > 0 && `, ${failed.toLocaleString()} failed`}
          {phase === 'stopped' && `, ${(total - done - failed).toLocaleString()} left`}.
        </Notice>
      )}
      <ErrorNotice error={problem} />
      {failures.length > 0 && (
        <section className="bulk-failures" aria-label="What failed">
          <ul>
            {failures.map(({ name, reason }, at) => (
              <li key={`${at} ${name}`}>
                <strong>{name}</strong>: {reason}
              </li>
            ))}
            {failed > failures.length && <li>and {(failed - failures.length).toLocaleString()} more</li>}
          </ul>
        </section>
      )}
      <div className="row">
        {phase === 'running' && <Button onPress={() => run.stop()}>Stop</Button>}
        {phase === 'stopped' && <Button onPress={() => void run.run()}>Go on</Button>}
        {phase !== 'running' && (
          <Button kind="primary" onPress={onClose}>
            Close
          </Button>
        )}
      </div>
    </div>
  );
}
