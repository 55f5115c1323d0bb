export { type ApiName, apiOfNames, loadBody, loadTable, resourceOf } from './load-tables.ts';
export type { Field, OperationEntry, OperationTable, Parameter, ResourceEntry } from './operation-table.ts';
export { isRow, type Row, textOf, valueAt, withValueAt } from './value-at.ts';
