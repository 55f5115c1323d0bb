import type { SemVer } from 'semver';
import { parse, satisfies, validRange } from 'semver';

// Nobody has said that a version before a release lies outside of a range, as npm does without this option.
const options = { includePrerelease: true };

/** An exclusion without a version. As a range it would be that of all versions. */
const nothing = '';

/** A part that excludes versions: `!=1.2.3` or `!1.2.3`. */
const exclusions = /!=?\s*([^\s!=|][^\s!|]*)?/g;

/**
 * Whether a text is a range of semantic versions: one of npm (`>=10.0.0 <11.0.0 || 12.x`), in which the wire also knows `==1.2.3`,
 * `!=1.2.3` and `!1.2.3`.
 */
export function isVersionRange(text: string): boolean {
  return alternativesOf(text).every(
    ({ included, excluded }) =>
      [included, ...excluded].every((range) => validRange(range, options) !== null) && !excluded.includes(nothing),
  );
}

/** Whether a version is in a range. An invalid range has no version. */
export function isInRange(version: SemVer, range: string): boolean {
  return alternativesOf(range).some(
    ({ included, excluded }) =>
      satisfies(version, included, options) && !excluded.some((each) => satisfies(version, each, options)),
  );
}

/** Parses a full version: `10.0.19045`. `null`: the text is no version. */
export function parseVersion(text: string): SemVer | null {
  return /^\d/.test(text) ? parse(text) : null;
}

function alternativesOf(range: string) {
  return range.split('||').map((alternative) => ({
    included: alternative.replaceAll(exclusions, ' ').replaceAll('==', '=').trim(),
    excluded: [...alternative.matchAll(exclusions)].map(([, excluded = nothing]) => excluded),
  }));
}
