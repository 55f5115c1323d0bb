/** A path of an API and what is mounted there by method. */
export interface Route<T> {
  readonly segments: readonly string[];
  readonly methods: Map<string, T>;
}

export interface Match<T> {
  readonly route: Route<T>;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
}

export interface RouteTable<T> {
  add(method: string, path: string, mounted: T): void;
  /** `null` when no route has this path. A segment that does not decode is no match. */
  find(path: string): Match<T> | null;
}

const noParams = {};

/** Finds routes by whole path, or, with parameters in it, among the few routes that share the first segment. */
export function createRouteTable<T>(): RouteTable<T> {
  const fixed = new Map<string, Match<T>>();
  const byFirstSegment = new Map<string, Route<T>[]>();

  function routeFor(path: string): Route<T> {
    const segments = path.split('/').slice(1);
    if (!path.includes('{')) {
      const match = fixed.get(path) ?? { route: { segments, methods: new Map() }, params: noParams };
      fixed.set(path, match);
      return match.route;
    }
    const first = segments[0] ?? '';
    const siblings = byFirstSegment.get(first) ?? [];
    byFirstSegment.set(first, siblings);
    const known = siblings.find((route) => route.segments.join('/') === segments.join('/'));
    if (known) return known;
    const route: Route<T> = { segments, methods: new Map() };
    siblings.push(route);
    return route;
  }

  return {
    add: (method, path, mounted) => void routeFor(path).methods.set(method, mounted),
    find(path) {
      const match = fixed.get(path);
      if (match) return match;
      const segments = path.split('/').slice(1);
      for (const route of byFirstSegment.get(segments[0] ?? '') ?? []) {
        const params = matchSegments(route.segments, segments);
        if (params) return { route, params };
      }
      return null;
    },
  };
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? '';
    if (expected.startsWith('{')) {
      const value = decodeOnce(actual);
      if (!value) return null;
      params[expected.slice(1, -1)] = value;
    } else if (expected !== actual) {
      return null;
    }
  }
  return params;
}

function decodeOnce(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    const decoded = decodeURIComponent(segment);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}
