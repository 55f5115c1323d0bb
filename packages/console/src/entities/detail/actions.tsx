import type { ResourceEntry, Row } from '@edge-controller/operation-tables';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, use, useState } from 'react';
import { titleOf } from '../../api/titles.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Modal } from '../../ui/modal.tsx';
import { SayDone } from '../../ui/status-message.tsx';
import { plainText } from '../form/field-text.ts';
import { OperationForm } from '../form/operation-form.tsx';
import { doneSentence } from '../list/words.ts';
import { Answer } from './answer.tsx';
import { entityVerbs, isDone } from './verbs.ts';

interface EntityActionsProps {
  readonly resource: string;
  readonly id: string;
  readonly name: string;
  readonly entry: ResourceEntry;
  readonly entity: Row;
}

/** Everything else that can be done with an entity: a menu, and a dialog for what was chosen. */
export function EntityActions({ resource, id, name, entry, entity }: EntityActionsProps) {
  const [verb, setVerb] = useState<string | null>(null);
  const { actions } = entityVerbs(resource, entry);
  const offered = [...actions.filter((action) => !isDone(action, entity)), ...(entry.verbs.delete ? ['delete'] : [])];
  if (offered.length === 0) return null;
  return (
    <>
      <Menu
        label="Actions"
        actions={offered.map((action) => ({
          id: action,
          label: titleOf(action),
          isDanger: entry.verbs[action]?.method === 'DELETE',
          run: () => setVerb(action),
        }))}
      />
      <Modal
        title={verb === null ? '' : `${titleOf(verb)}: ${name}`}
        isOpen={verb !== null}
        onClose={() => setVerb(null)}
      >
        {(cancel) => (
          <Suspense fallback={<p className="soft">Loading …</p>}>
            {verb !== null && (
              <ActionDialog {...{ resource, id, name, verb, entry }} onClose={() => setVerb(null)} onCancel={cancel} />
            )}
          </Suspense>
        )}
      </Modal>
    </>
  );
}

interface ActionDialogProps extends Omit<EntityActionsProps, 'entity'> {
  readonly verb: string;
  readonly onClose: () => void;
  /** Closes it, after a question when something was typed. */
  readonly onCancel: () => void;
}

function ActionDialog({ resource, id, name, verb, entry, onClose, onCancel }: ActionDialogProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const sayDone = use(SayDone);
  const [answer, setAnswer] = useState<{ readonly value: unknown } | null>(null);
  const operation = entry.verbs[verb];
  if (operation === undefined) return null;

  function show(value: unknown) {
    if (verb !== 'delete') return setAnswer({ value });
    onClose();
    sayDone(doneSentence(resource, name, 'deleted'));
    // What was typed for an entity that is gone is of no use.
    void navigate({ to: '/entities/$resource', params: { resource }, ignoreBlocker: true });
    queries.removeQueries({ queryKey: ['entity', 'management', resource, id] });
  }

  return (
    <>
      <p>{plainText(operation.summary)}.</p>
      {operation.method === 'DELETE' && <p className="soft">This cannot be undone.</p>}
      {answer !== null && <Answer entry={operation} answer={answer.value} fileName={`${verb}-${id}`} />}
      {answer === null || operation.method === 'GET' ? (
        <OperationForm
          operation={{ api: 'management', resource, verb, entry: operation }}
          given={[id]}
          submitLabel={titleOf(verb)}
          onAnswer={show}
          onCancel={onCancel}
          isConfirmed
        />
      ) : (
        <div className="row">
          <Button onPress={onClose}>Close</Button>
        </div>
      )}
    </>
  );
}
