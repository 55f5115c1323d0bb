import fc from 'fast-check';
import type { FilterFields, ValueType } from '../../src/core/filter/page.ts';
import { ids, strings, thingFields, times } from './filter-data.ts';

const text = fc
  .oneof(fc.constantFrom(...strings), fc.constantFrom(...ids), fc.constantFrom('t1', 't2'))
  .map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`);
const number = fc.constantFrom('-1', '0', '1', '2', '5', '15', '1.5', '0.15e1', '-0', '1e300');
const boolean = fc.constantFrom('true', 'false');
const datetime = fc
  .tuple(fc.constantFrom(...times), fc.constantFrom('Z', '+00:00', '-01:30'))
  .map(([time, zone]) => `datetime(${new Date(time).toISOString().slice(0, -1)}${zone})`);

const equal = fc.constantFrom('=', ' != ');
const order = fc.constantFrom('=', '!=', '<', '<=', ' > ', '>=');
const maybeNot = fc.constantFrom('', 'not ');

/** `<operator> <value>` for values of one type. */
function comparison(values: fc.Arbitrary<string>, more: readonly fc.Arbitrary<string>[] = []): fc.Arbitrary<string> {
  const list = fc.array(values, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.tuple(order, values).map(([operator, value]) => `${operator}${value}`),
    fc.tuple(maybeNot, list).map(([not, all]) => ` ${not}in [${all.join(',')}]`),
    ...more,
  );
}

const isNull = equal.map((operator) => `${operator}null`);
const between = (values: fc.Arbitrary<string>) =>
  fc.tuple(maybeNot, values, values).map(([not, low, high]) => ` ${not}between ${low} and ${high}`);
const contains = (name: string, values: fc.Arbitrary<string>) =>
  fc.tuple(maybeNot, values).map(([not, value]) => ` ${not}${name} ${value}`);

const strictText = comparison(text, [contains('contains', text), contains('icontains', text)]);
const strictNumber = comparison(number, [between(number)]);
const strictBoolean = fc.tuple(equal, boolean).map(([operator, value]) => `${operator}${value}`);
const right: Readonly<Record<ValueType, fc.Arbitrary<string>>> = {
  string: fc.oneof(strictText, comparison(number), isNull),
  number: fc.oneof(strictNumber, contains('contains', fc.constantFrom('1', '5', '"."', '"5"')), isNull),
  boolean: fc.oneof(strictBoolean, isNull),
  datetime: fc.oneof(comparison(datetime), between(datetime), isNull),
};
const ofTag = fc.oneof(strictText, strictNumber, strictBoolean, isNull);

/** A term for one of the fields. */
function term(fields: FilterFields, depth: number): fc.Arbitrary<string> {
  const terms = Object.entries(fields).map(([symbol, field]) => {
    if (field.type === 'tags') {
      const key = fc.constantFrom('a', 'b', 'c.d', 'e-f', 'none');
      return fc.tuple(key, ofTag).map(([name, rest]) => `${symbol}.${name}${rest}`);
    }
    if (field.type !== 'set') {
      const compared = right[field.type].map((rest) => `${symbol}${rest}`);
      return field.type === 'boolean' ? fc.oneof(compared, fc.constant(symbol)) : compared;
    }
    const quantified = fc.tuple(fc.constantFrom('anyOf', 'allOf'), fc.oneof(right.string)).map(([name, rest]) => {
      return `${name}(${symbol})${rest}`;
    });
    const counted = strictNumber.map((rest) => `count(${symbol})${rest}`);
    if (!field.to || depth === 0) return fc.oneof(quantified, counted, fc.constant(`isEmpty(${symbol})`));
    const inner = expression(field.to.fields(), depth - 1);
    const from = inner.map((condition) => `from ${symbol} where ${condition}`);
    const empty = from.map((query) => `isEmpty(${query})`);
    const count = fc.tuple(from, strictNumber).map(([query, rest]) => `count(${query})${rest}`);
    return fc.oneof(
      quantified,
      counted,
      fc.constant(`isEmpty(${symbol})`),
      { arbitrary: empty, weight: 6 },
      { arbitrary: count, weight: 3 },
    );
  });
  const links = terms.filter((_, at) => {
    const field = Object.values(fields)[at];
    return field?.type === 'set' && field.to;
  });
  const others = fc.oneof(...terms, fc.constantFrom('true', 'false'));
  return fc.oneof({ arbitrary: others, weight: 5 }, ...links);
}

/** A condition with the given fields. `depth`: how deep sub-queries may be nested. */
function expression(fields: FilterFields, depth: number): fc.Arbitrary<string> {
  const one = term(fields, depth);
  const joined = fc.tuple(fc.constantFrom('and', 'or'), one, one, maybeNot, maybeNot);
  const two = joined.map(([word, left, other, not, notLeft]) => `${notLeft}${left} ${word} ${not}(${other})`);
  const nested = fc
    .tuple(two, fc.constantFrom('and', 'or'), one)
    .map(([left, word, other]) => `(${left}) ${word} ${other}`);
  return fc.oneof(
    one,
    two,
    nested,
    one.map((inner) => `not ${inner}`),
  );
}

const sortable = Object.entries(thingFields).filter(([, { type }]) => type !== 'set' && type !== 'tags');
const sort = fc
  .array(fc.tuple(fc.constantFrom(...sortable.map(([symbol]) => symbol)), fc.constantFrom('', ' asc', ' desc')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((fields) => fields.map(([symbol, direction]) => symbol + direction).join(', '));

/** List requests for the rows of `things`: every operator, nesting, sub-queries, order and page. */
export const requests = fc.record({
  filter: fc
    .tuple(
      expression(thingFields, 2),
      fc.option(sort),
      fc.option(fc.nat(40)),
      fc.constantFrom('', ' limit none', ' limit 7'),
    )
    .map(([condition, by, skip, limit]) => {
      return condition + (by === null ? '' : ` sort by ${by}`) + (skip === null ? '' : ` skip ${skip}`) + limit;
    }),
  sort: fc.option(sort, { nil: undefined }),
  limit: fc.constantFrom(undefined, -1, 25, 500),
  offset: fc.constantFrom(undefined, 0, 3, 1_000),
});
