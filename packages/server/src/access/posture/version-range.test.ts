import { describe, expect, it } from 'vitest';
import { isInRange, isVersionRange, parseVersion } from './version-range.ts';

const isIn = (text: string, range: string) => {
  const version = parseVersion(text);
  return version !== null && isInRange(version, range);
};

describe('ranges of versions', () => {
  it.each([
    ['1.2.3', '1.2.3', true],
    ['1.2.3', '=1.2.3', true],
    ['1.2.3', '==1.2.3', true],
    ['1.2.4', '==1.2.3', false],
    ['1.2.3', '!=1.2.3', false],
    ['1.2.3', '!1.2.3', false],
    ['1.2.4', '! 1.2.3', true],
    ['1.2.4', '!1.2.3 <2.0.0', true],
    ['2.0.0', '!1.2.3 <2.0.0', false],
    ['1.5.0', '>1.0.0 <2.0.0 !=1.5.0', false],
    ['1.5.1', '>1.0.0 <2.0.0 !=1.5.0', true],
    ['3.0.0', '>1.0.0 <2.0.0 !=1.5.0 || >=3.0.0', true],
    ['2.5.0', '>1.0.0 <2.0.0 !=1.5.0 || >=3.0.0', false],
    ['10.0.19045', '>= 10.0.0', true],
    ['10.1.0', '10.x', true],
    ['11.0.0', '10.x', false],
    ['10.9.9', '!10.x', false],
    // A version before a release comes before it, and is in a range like others.
    ['2.0.0-rc.1', '<2.0.0', true],
    ['2.0.0-rc.1', '>=2.0.0', false],
    ['2.0.0-rc.1', '>=1.0.0', true],
    ['1.2.3+build.5', '=1.2.3', true],
  ])('%s is in %s: %s', (version, range, expected) => {
    expect(isIn(version, range)).toBe(expected);
    expect(isVersionRange(range)).toBe(true);
  });

  it.each(['x.y', '>>1', '!', '!=', '1.2.3 !a.b', 'latest', '<=>1.0.0'])(
    '%s is no range, and no version is in it',
    (range) => {
      expect(isVersionRange(range)).toBe(false);
      expect(isIn('1.0.0', range)).toBe(false);
    },
  );

  it.each(['1.2', '1', 'v1.2.3', '=1.2.3', '1.2.3.4', '01.2.3', ' 1.2.3', ''])('%j is no full version', (text) => {
    expect(parseVersion(text)).toBeNull();
  });
});
