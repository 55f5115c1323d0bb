import { isRow, resourceOf } from '@edge-controller/operation-tables';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, use, useState } from 'react';
import { useRights } from '../../api/rights.ts';
import { useTable } from '../../api/tables.ts';
import { titleOf } from '../../api/titles.ts';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { SayDone } from '../../ui/status-message.tsx';
import { Answer } from '../detail/answer.tsx';
import { doneSentence, inSentence } from '../list/words.ts';
import { plainText } from './field-text.ts';
import { OperationForm } from './operation-form.tsx';

/** Creates an entity, and goes to its page. */
export function NewPage() {
  const { resource } = useParams({ from: '/entities/$resource/new' });
  const fields = useSearch({ from: '/entities/$resource/new' });
  const resourceEntry = resourceOf(useTable('management'), resource);
  const navigate = useNavigate();
  const sayDone = use(SayDone);
  const [answer, setAnswer] = useState<{ readonly value: unknown } | null>(null);
  const entry = resourceEntry?.verbs.create;
  const { allows } = useRights();
  if (entry === undefined) return <NotFoundPage />;
  const toList = () => void navigate({ to: '/entities/$resource', params: { resource }, ignoreBlocker: true });

  function show(value: unknown, sent: unknown) {
    if (!resourceEntry?.verbs.get || !isRow(value) || typeof value.id !== 'string') return setAnswer({ value });
    sayDone(doneSentence(resource, isRow(sent) && sent.name, 'created'));
    void navigate({ to: '/entities/$resource/$id', params: { resource, id: value.id }, ignoreBlocker: true });
  }

  return (
    <>
      <nav aria-label="Path">
        <Link to="/entities/$resource" params={{ resource }}>
          {titleOf(resource)}
        </Link>
      </nav>
      <PageHeading title={plainText(entry.summary)?.replace('Creates one', 'New') ?? ''} path={titleOf(resource)} />
      <p className="soft">{plainText(resourceEntry?.about)}</p>
      {!allows(entry) && <Refusal act={`create ${inSentence(resource)}`} />}
      {answer !== null && <Answer entry={entry} answer={answer.value} fileName={resource} />}
      {allows(entry) && (
        <section className="card" aria-label="Fields">
          <Suspense fallback={<p className="soft">Loading …</p>}>
            <OperationForm
              key={resource}
              operation={{ api: 'management', resource, verb: 'create', entry }}
              {...(Object.keys(fields).length > 0 && { entity: fields })}
              submitLabel="Create"
              onAnswer={show}
              onCancel={toList}
              asksToLeave
            />
          </Suspense>
        </section>
      )}
    </>
  );
}
