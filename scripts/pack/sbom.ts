import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pnpmVersion, run } from '../bootstrap.mjs';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  /** Not of a library that the build has bundled. */
  readonly scope?: string;
}

interface Sbom {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** What the build puts into the files of a package although the package does not depend on it. */
const bundled: Readonly<
  Record<string, { readonly packages: readonly string[]; readonly libraries: readonly string[] }>
> = {
  sdk: { packages: [], libraries: ['uqr'] },
  server: { packages: ['console'], libraries: ['swagger-ui-dist'] },
};

/** Returns the software bill of materials of a package (CycloneDX): all that its users install, and all in its files. */
export async function sbomOf(name: string): Promise<string> {
  const { packages = [], libraries = [] } = bundled[name] ?? {};
  const own = await readSbom(name, ['--prod']);
  const parts: Pick<Sbom, 'components' | 'dependencies'>[] = [own];
  for (const inFiles of packages) parts.push(await readSbom(inFiles, ['--prod']));
  if (libraries.length > 0) parts.push(librariesOf(await readSbom(name, []), libraries));
  const byRef = <T>(items: readonly T[], refOf: (item: T) => string) => [
    ...new Map(items.map((item) => [refOf(item), item])).values(),
  ];
  const components = byRef(
    parts.flatMap((part) => part.components),
    (component) => component['bom-ref'],
  );
  const dependencies = byRef(
    parts.flatMap((part) => part.dependencies),
    ({ ref }) => ref,
  );
  return `${JSON.stringify({ ...own, components, dependencies }, undefined, 2)}\n`;
}

/** These libraries alone: their bundles have all that they need. */
function librariesOf({ components }: Sbom, names: readonly string[]) {
  const found = names.map((name) => {
    const component = components.find((one) => one.name === name);
    if (!component) throw new Error(`nothing depends on ${name}, which a build bundles`);
    const { scope: _scope, ...library } = component;
    return library;
  });
  return { components: found, dependencies: found.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })) };
}

async function readSbom(name: string, options: readonly string[]): Promise<Sbom> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-sbom-'));
  const file = join(folder, 'sbom.json');
  const which = ['--filter', `./packages/${name}`, 'sbom', '--sbom-format', 'cyclonedx', '--out', file];
  try {
    const { code, output } = await run('npx', ['-y', pnpmVersion(), ...which, ...options]);
    if (code !== 0) throw new Error(`pnpm sbom failed for ${name}\n${output}`);
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
