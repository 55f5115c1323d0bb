import type { Expression } from '../../../../core/filter/ast.ts';

/** The value that the column must have in every row that matches. `null` when the filter does not say so. */
export function requiredValue(expression: Expression | null, column: string): string | null {
  if (expression?.kind === 'and')
    return requiredValue(expression.left, column) ?? requiredValue(expression.right, column);
  if (expression?.kind !== 'compare' || expression.operator !== '=') return null;
  if (expression.operand.kind !== 'string' || expression.operand.column !== column) return null;
  const [value] = expression.values;
  return typeof value === 'string' ? value : null;
}
