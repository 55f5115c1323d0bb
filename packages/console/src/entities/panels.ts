import type { Row } from '@edge-controller/operation-tables';
import type { ComponentType } from 'react';

export interface EntityPanel {
  readonly title: string;
  /** Loaded when somebody visits an entity of the resource: `lazy(() => import(…))`. */
  readonly Panel: ComponentType<{ readonly entity: Row }>;
}

/** What the page of an entity shows beside its fields and lists, by resource. Most need nothing here. */
export const panels: Readonly<Record<string, readonly EntityPanel[]>> = {};
