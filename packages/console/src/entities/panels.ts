import type { Row } from '@edge-controller/operation-tables';
import type { ComponentType } from 'react';
import { lazy } from 'react';

export interface EntityPanel {
  readonly title: string;
  /** Loaded when somebody visits an entity of the resource: `lazy(() => import(…))`. */
  readonly Panel: ComponentType<{ readonly entity: Row }>;
}

const accessPanel = () => import('../pages/access/access-panel.tsx');
const IdentityAccess = lazy(async () => ({ default: (await accessPanel()).IdentityAccess }));
const ServiceAccess = lazy(async () => ({ default: (await accessPanel()).ServiceAccess }));

/** What the page of an entity shows beside its fields and lists, by resource. Most need nothing here. */
export const panels: Readonly<Record<string, readonly EntityPanel[]>> = {
  identities: [{ title: 'Access and activity', Panel: IdentityAccess }],
  services: [{ title: 'Access', Panel: ServiceAccess }],
};
