import type { ApiName, OperationEntry } from '@edge-controller/operation-tables';
import { resourceOf } from '@edge-controller/operation-tables';
import { Link, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { ConsoleOperation } from '../api/console-operations.ts';
import { isSignIn } from '../api/console-operations.ts';
import { useTable } from '../api/tables.ts';
import { titleOf } from '../api/titles.ts';
import { Answer } from '../entities/detail/answer.tsx';
import { plainText } from '../entities/form/field-text.ts';
import { OperationForm } from '../entities/form/operation-form.tsx';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { Notice } from '../ui/notice.tsx';
import './operations.css';
import { PageHeading } from '../ui/page-heading.tsx';

const accessTexts: Readonly<Record<OperationEntry['access'], string>> = {
  anyone: 'Everybody, without a session',
  partial: 'Any session, also one that needs another factor',
  full: 'Any session that is signed in completely',
  admin: 'Administrators',
};

/** One operation: what it does, and a form that runs it. */
export function OperationPage() {
  const { api, resource, verb } = useParams({ from: '/operations/$api/$resource/$verb' });
  return api === 'client' || api === 'management' ? (
    <KnownApi key={`${api}/${resource}/${verb}`} {...{ api, resource, verb }} />
  ) : (
    <NotFoundPage />
  );
}

interface KnownApiProps {
  readonly api: ApiName;
  readonly resource: string;
  readonly verb: string;
}

function KnownApi({ api, resource, verb }: KnownApiProps) {
  const verbs = resourceOf(useTable(api), resource)?.verbs ?? {};
  const entry = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  return entry === undefined ? <NotFoundPage /> : <Operation operation={{ api, resource, verb, entry }} />;
}

function Operation({ operation }: { readonly operation: ConsoleOperation }) {
  const { api, resource, verb, entry } = operation;
  const [answer, setAnswer] = useState<{ readonly value: unknown } | null>(null);
  return (
    <>
      <nav aria-label="Path">
        <Link to="/operations">Operations</Link>
      </nav>
      <PageHeading title={`${titleOf(resource)}: ${titleOf(verb).toLowerCase()}`} path="Operations" />
      <p>{plainText(entry.summary)}.</p>
      <dl className="operation-facts">
        <Fact name="Method" value={entry.method} />
        <Fact name="API" value={api === 'client' ? 'Client API' : 'Management API'} />
        <Fact name="Who may" value={whoMay(entry)} />
        <Fact name="In code" value={`edge.${api}.${resource}.${verb}`} />
      </dl>
      {isSignIn(operation) ? (
        <Notice>The sign-in page of this console runs this operation. To use it, sign out.</Notice>
      ) : (
        <section className="card" aria-label="Request">
          {entry.access === 'anyone' && entry.method === 'POST' && (
            <Notice>What the answer gives, such as a certificate, is not for the session of this page.</Notice>
          )}
          <Suspense fallback={<p className="soft">Loading …</p>}>
            <OperationForm operation={operation} submitLabel="Run" onAnswer={(value) => setAnswer({ value })} />
          </Suspense>
        </section>
      )}
      {answer !== null && (
        <section className="stack" aria-label="Answer">
          <h2>Answer</h2>
          <Answer entry={entry} answer={answer.value} fileName={`${resource}-${verb}`} isRaw />
        </section>
      )}
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function whoMay({ access, permission }: OperationEntry): string {
  if (access !== 'admin' || permission === undefined || permission === 'admin') return accessTexts[access];
  return `${accessTexts.admin}, or the permission ${permission}`;
}
