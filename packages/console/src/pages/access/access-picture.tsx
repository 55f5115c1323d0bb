import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { QueryPart } from '../../ui/query-part.tsx';
import { PolicyBoxes } from './policy-boxes.tsx';
import type { Advice, Pair } from './read-access.ts';
import { useDialPolicies } from './read-access.ts';

interface AccessPictureProps {
  readonly advice: Advice;
  readonly pair: Pair;
}

/** The way from the identity to the service: the policies that allow it, and the edge routers that carry it. */
export function AccessPicture({ advice, pair }: AccessPictureProps) {
  const policies = useDialPolicies(pair);
  const { identityName, serviceName, identityRouterCount = 0, serviceRouterCount = 0 } = advice;
  return (
    <section className="card" aria-labelledby="picture-title">
      <h2 id="picture-title">
        The way from {identityName} to {serviceName}
      </h2>
      <div className="way">
        <End kind="Identity" resource="identities" id={pair.identityId} name={identityName} />
        <Arrow isBroken={!advice.isDialAllowed} />
        <div className="between">
          <h3>Service policies</h3>
          <QueryPart query={policies} what="service policies">
            {(data) => <PolicyBoxes policies={data} advice={advice} />}
          </QueryPart>
        </div>
        <Arrow isBroken={!advice.isDialAllowed} />
        <End kind="Service" resource="services" id={pair.serviceId} name={serviceName} />
      </div>
      <div className="way">
        <div className={identityRouterCount === 0 ? 'box broken' : 'box'}>
          <span className="soft">Edge routers of {identityName}</span>
          <span className="count">{identityRouterCount}</span>
        </div>
        <Arrow isBroken={identityRouterCount === 0} />
        <div className="between">
          <h3>Edge routers in common</h3>
          <CommonRouters routers={advice.commonRouters ?? []} />
        </div>
        <Arrow isBroken={serviceRouterCount === 0} />
        <div className={serviceRouterCount === 0 ? 'box broken' : 'box'}>
          <span className="soft">Edge routers of {serviceName}</span>
          <span className="count">{serviceRouterCount}</span>
        </div>
      </div>
    </section>
  );
}

interface EndProps {
  readonly kind: string;
  readonly resource: string;
  readonly id: string;
  readonly name: string;
}

function End({ kind, resource, id, name }: EndProps) {
  return (
    <div className="box end">
      <span className="soft">{kind}</span>
      <Link to="/entities/$resource/$id" params={{ resource, id }}>
        {name}
      </Link>
    </div>
  );
}

function Arrow({ isBroken }: { readonly isBroken: boolean }) {
  return (
    <svg className={isBroken ? 'arrow broken' : 'arrow'} viewBox="0 0 48 24" aria-hidden="true">
      <path d="M2 12 H40" />
      <path d="M34 5 L43 12 L34 19" />
    </svg>
  );
}

/** Routers that a picture shows. */
const maxRouters = 20;

function CommonRouters({ routers }: { readonly routers: NonNullable<Advice['commonRouters']> }) {
  if (routers.length === 0) return <Gap>None</Gap>;
  const more = routers.length - maxRouters;
  return (
    <>
      {routers
        .toSorted((a, b) => Number(b.isOnline) - Number(a.isOnline))
        .slice(0, maxRouters)
        .map(({ id, name, isOnline }) => (
          <div key={id} className={isOnline ? 'box' : 'box broken'}>
            <Link to="/entities/$resource/$id" params={{ resource: 'edgeRouters', id }}>
              {name}
            </Link>
            <span className={isOnline ? 'badge good' : 'badge bad'}>{isOnline ? 'Online' : 'Offline'}</span>
          </div>
        ))}
      {more > 0 && <p className="soft">and {more.toLocaleString()} more</p>}
    </>
  );
}

function Gap({ children }: { readonly children: ReactNode }) {
  return <div className="box broken">{children}</div>;
}
