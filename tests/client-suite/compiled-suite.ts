/**
 * Compiles the client's tests to JavaScript for every platform of its customers. They test the
 * package as published: an import of a client source resolves to the built module.
 */

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { buildClientPackage } from '../../tools/build/client-package.ts';

const root = join(import.meta.dirname, '../..');
const sources = join(root, 'packages/client/src');

export interface CompiledTest {
  /** Its path below the client's sources. */
  readonly name: string;
  readonly file: string;
  /** Its imports from Node and from third-party packages. */
  readonly needs: readonly string[];
  /** Contains the service, which runs on no Node older than ours. */
  readonly hasService: boolean;
}

/** Compiles into `folder`, in this checkout, because third-party packages resolve from there. */
export async function compileSuite(folder: string): Promise<readonly CompiledTest[]> {
  const built = join(folder, 'client');
  buildClientPackage(built);
  const names = globSync('**/*.test.ts', { cwd: sources }).sort();
  const input = Object.fromEntries(
    names.map((name) => [name.replace(/\.ts$/, ''), join(sources, name)]),
  );
  await using bundle = await rolldown({
    input,
    platform: 'node',
    tsconfig: false,
    external: /^(?!@tapeloom\/|@oxc-project\/)[@\w]/,
    transform: { target: 'node22' },
    plugins: [asPublished(join(built, 'lib')), inItsPlace],
  });
  const { output } = await bundle.write({ dir: join(folder, 'tests'), format: 'esm' });
  const chunks = new Map(
    output.flatMap((it) => (it.type === 'chunk' ? [[it.fileName, it] as const] : [])),
  );
  /** Everything that a file loads: its own modules and external imports. */
  const loadedBy = (fileName: string, seen: Set<string>): string[] => {
    const chunk = chunks.get(fileName);
    if (chunk === undefined) return [fileName];
    if (seen.has(fileName)) return [];
    seen.add(fileName);
    const further = [...chunk.imports, ...chunk.dynamicImports];
    return [...chunk.moduleIds, ...further.flatMap((name) => loadedBy(name, seen))];
  };
  return [...chunks.values()]
    .filter(({ isEntry }) => isEntry)
    .map(({ name, fileName }) => {
      const loaded = [...new Set(loadedBy(fileName, new Set()))];
      return {
        name: `${name}.ts`,
        file: join(folder, 'tests', fileName),
        needs: loaded.filter((id) => /^[@\w]/.test(id)),
        hasService: loaded.some((id) => id.startsWith(join(root, 'packages/server/src/'))),
      };
    });
}

/** Resolves the client's sources to the built package. */
function asPublished(lib: string): Plugin {
  return {
    name: 'as-published',
    async resolveId(specifier, importer, options) {
      if (importer === undefined) return null;
      const found = await this.resolve(specifier, importer, { ...options, skipSelf: true });
      if (found === null || !found.id.startsWith(`${sources}/`)) return null;
      return join(lib, found.id.slice(sources.length).replace(/\.ts$/, '.js'));
    },
  };
}

/** Gives a module the path of its source as `import.meta` location. */
const inItsPlace: Plugin = {
  name: 'in-its-place',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(join(id, '..')));
  },
};
