import type { ResourceEntry, Row } from '@edge-controller/operation-tables';
import { isRow, resourceOf } from '@edge-controller/operation-tables';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Suspense, use, useState } from 'react';
import { callOf } from '../../api/calls.ts';
import { isWithoutRight } from '../../api/explain-error.ts';
import { allowedOf, useRights } from '../../api/rights.ts';
import { useTable } from '../../api/tables.ts';
import { titleOf } from '../../api/titles.ts';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyIconButton } from '../../ui/copy-icon-button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { SayDone } from '../../ui/status-message.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { OperationForm } from '../form/operation-form.tsx';
import './entity.css';
import { PageHeading } from '../../ui/page-heading.tsx';
import { RelatedList } from '../list/related-list.tsx';
import { inSentence } from '../list/words.ts';
import { EntityActions } from './actions.tsx';
import { EntityDetail } from './detail.tsx';
import { EntityFields } from './fields.tsx';
import { panels } from './panels.ts';
import type { EntityVerbs } from './verbs.ts';
import { entityVerbs } from './verbs.ts';

export function EntityPage() {
  const { resource, id } = useParams({ from: '/entities/$resource/$id' });
  const entry = resourceOf(useTable('management'), resource);
  if (!entry?.verbs.get) return <NotFoundPage />;
  return <LoadedEntity key={`${resource}/${id}`} {...{ resource, id, entry }} />;
}

interface EntityProps {
  readonly resource: string;
  readonly id: string;
  readonly entry: ResourceEntry;
}

function LoadedEntity({ resource, id, entry }: EntityProps) {
  const { data, error } = useQuery({
    queryKey: ['entity', 'management', resource, id],
    queryFn: () => callOf('management', resource, 'get')(id),
  });
  return (
    <>
      <nav aria-label="Path">
        <Link to="/entities/$resource" params={{ resource }}>
          {titleOf(resource)}
        </Link>
      </nav>
      {!isRow(data) && <PageHeading title={titleOf(resource)} />}
      {isWithoutRight(error) ? <Refusal act={`see ${inSentence(resource)}`} /> : <ErrorNotice error={error} />}
      {isRow(data) ? (
        <EntityView {...{ resource, id, entry }} entity={data} />
      ) : (
        error === null && <p className="soft">Loading …</p>
      )}
    </>
  );
}

function EntityView({ resource, id, entry, entity }: EntityProps & { readonly entity: Row }) {
  const [isEditing, setIsEditing] = useState(false);
  const sayDone = use(SayDone);
  const allowed = allowedOf(entry, useRights());
  const { lists, details } = entityVerbs(resource, allowed);
  const verb = allowed.verbs.patch ? 'patch' : 'update';
  const change = allowed.verbs[verb];
  return (
    <>
      <header className="row spread">
        <EntityTitle {...{ resource, id, entity }} />
        <div className="row">
          {change && !isEditing && (
            <Button kind="primary" onPress={() => setIsEditing(true)}>
              Edit
            </Button>
          )}
          <EntityActions {...{ resource, id, entity }} entry={allowed} name={String(entity.name || id)} />
        </div>
      </header>
      <Suspense fallback={<p className="soft">Loading …</p>}>
        {isEditing && change ? (
          <section className="card" aria-label="Edit">
            <h2>Edit</h2>
            <OperationForm
              operation={{ api: 'management', resource, verb, entry: change }}
              given={[id]}
              entity={entity}
              submitLabel="Save"
              onAnswer={() => {
                setIsEditing(false);
                sayDone('Saved.');
              }}
              onCancel={() => setIsEditing(false)}
              asksToLeave
            />
          </section>
        ) : (
          <EntityTabs {...{ resource, id, entry, entity, lists, details }} />
        )}
      </Suspense>
    </>
  );
}

function EntityTitle({ resource, id, entity }: Omit<EntityProps, 'entry'> & { readonly entity: Row }) {
  return (
    <div className="entity-title">
      <PageHeading title={String(entity.name || id)} path={titleOf(resource)} />
      <span className="row soft">
        <code>{id}</code>
        <CopyIconButton text={id} name="Copy the id" />
      </span>
    </div>
  );
}

interface EntityTabsProps extends EntityProps, Pick<EntityVerbs, 'lists' | 'details'> {
  readonly entity: Row;
}

function EntityTabs({ resource, id, entry, entity, lists, details }: EntityTabsProps) {
  const pages = [
    { id: 'fields', title: 'Overview', show: () => <Overview {...{ resource, entry, entity }} /> },
    ...lists.map((list) => ({
      id: list,
      title: titleOf(list),
      show: () => <RelatedList key={list} {...{ resource, id }} verb={list} />,
    })),
    ...details.map((detail) => ({
      id: detail,
      title: titleOf(detail),
      show: () => <EntityDetail key={detail} {...{ resource, id }} verb={detail} />,
    })),
  ];
  return <Tabs label="What belongs to it" pages={pages} />;
}

function Overview({ resource, entry, entity }: Omit<EntityProps, 'id'> & { readonly entity: Row }) {
  return (
    <div className="stack">
      {(panels[resource] ?? []).map(({ title, Panel }) => (
        <section key={title} className="card">
          <h2>{title}</h2>
          <Suspense fallback={<p className="soft">Loading …</p>}>
            <Panel entity={entity} />
          </Suspense>
        </section>
      ))}
      <section className="card" aria-label="Fields">
        <EntityFields entry={entry} entity={entity} />
      </section>
    </div>
  );
}
