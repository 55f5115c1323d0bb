import { describe, expect, it } from 'vitest';
import { nameCandidates, unmistakableName } from './free-name.ts';

describe('names of identities that enroll by themselves', () => {
  it('get a counter behind the name, and the next one behind that', () => {
    expect(nameCandidates('a').slice(0, 3)).toEqual(['a', 'a000001', 'a000001000002']);
  });

  it('are never longer than 500 characters', () => {
    const candidates = nameCandidates('a');
    expect(candidates).toHaveLength(84);
    expect(candidates.at(-1)).toHaveLength(499);
    expect(nameCandidates('a'.repeat(600))).toEqual(['a'.repeat(500)]);
    expect(unmistakableName('a'.repeat(600), '0123456789')).toBe(`${'a'.repeat(489)}-0123456789`);
  });

  it('end with the id of the identity when all of them are taken', () => {
    expect(unmistakableName('a', '0123456789')).toBe('a-0123456789');
  });
});
