/**
 * Bundles our programs as JavaScript without TypeScript or packages at run time. Shared code goes into chunks. Every
 * thread, font and page script that the code names by URL becomes a file beside them, as does the portal.
 */

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const THREAD = /new Worker\(new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/g;
/** The built portal, which the package ships beside the program. */
const PORTAL = /new URL\('(?:\.\.\/)+portal\/dist\/', import\.meta\.url\)/g;
/** Fonts, and scripts of pages that the server renders. */
const FILE = /new URL\('(\.\/[\w/-]+\.(?:ttf|js))', import\.meta\.url\)/g;

export interface Bundle {
  /** Directories of the bundled packages, sorted. */
  readonly packages: readonly string[];
}

export interface BundleOptions {
  /** By output name: the main file of a program, relative to the repository's root. */
  readonly entries: Readonly<Record<string, string>>;
  /** Packages with native code, which stay outside. */
  readonly external?: readonly string[];
}

export async function bundle(
  into: string,
  { entries, external = [] }: BundleOptions,
): Promise<Bundle> {
  const bundler = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(Object.entries(entries).map(([name, it]) => [name, join(root, it)])),
    external: [...external],
    plugins: [threads()],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const { output } = await bundler.write({
    dir: into,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  const modules = output.flatMap((it) => (it.type === 'chunk' ? it.moduleIds : []));
  const packages = modules.flatMap((id) => packageOf(id) ?? []);
  return { packages: [...new Set(packages)].sort() };
}

/** Bundles threads as programs of their own, copies fonts and page scripts, and rewrites their URLs. */
function threads(): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'threads',
    transform(code, id) {
      if (!id.startsWith(join(root, 'packages')) || packageOf(id) !== null) return null;
      const withPortal = code.replace(PORTAL, "new URL('./portal/', import.meta['url'])");
      const withFiles = withPortal.replace(FILE, (_, path: string) => {
        const source = readFileSync(join(dirname(id), path));
        this.emitFile({ type: 'asset', fileName: basename(path), source });
        return `new URL('./${basename(path)}', import.meta['url'])`;
      });
      const changed = withFiles.replace(THREAD, (_, path: string) => {
        const file = join(dirname(id), `${path}.ts`);
        const name = basename(path);
        if ((files.get(name) ?? file) !== file) throw new Error(`two threads are named ${name}`);
        files.set(name, file);
        this.emitFile({ type: 'chunk', id: file, fileName: `${name}.js` });
        return `new Worker(new URL('./${name}.js', import.meta['url'])`;
      });
      if (/import\.meta\.(?:url|dirname|filename)/.test(changed)) {
        throw new Error(
          `${id} looks for files beside itself, which lie elsewhere once it is built`,
        );
      }
      return changed.replaceAll("import.meta['url']", 'import.meta.url');
    },
  };
}

/** The directory of the installed package that a module belongs to; null for our own. */
function packageOf(id: string): string | null {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id);
  return found === null ? null : found[0];
}
