/**
 * Generates the client library's reference, `docs/client/`, with TypeDoc: one page per entry point. Generating takes
 * seconds, so digests of its input and output are stored beside it; with them a test detects a stale page quickly.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const client = join(root, 'packages/client');
const tsconfig = join(client, 'tsconfig.build.json');
const folder = join(root, 'docs/client');
/** By source name: the entry point's import name, and its content. */
const ENTRIES: Readonly<Record<string, readonly [name: string, words: string]>> = {
  index: ['@tapeloom/client', 'everything but exports as files'],
  stream: ['@tapeloom/client/stream', 'the stream alone, for pages that want it small'],
  node: ['@tapeloom/client/node', 'exports as files, in Node'],
};
const contents = `# Reference of @tapeloom/client

Every class, function and type, made by \`npm run docs\` from the types and their comments. How they are used, with samples:
[the README of the package](../../packages/client/README.md). What the indicators mean: [semantics](../semantics.md).

${Object.entries(ENTRIES)
  .map(([source, [name, words]]) => `- [${name}](${source}.md): ${words}`)
  .join('\n')}
`;
const digestsPath = join(folder, 'made-from.json');

export async function writeClientReference(): Promise<string> {
  const app = await Application.bootstrapWithPlugins(options());
  const project = await app.convert();
  if (project === undefined) throw new Error('the types of the client cannot be read');
  app.validate(project);
  rmSync(folder, { recursive: true, force: true });
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error('the reference of the client has the faults told above');
  }
  for (const entry of Object.entries(ENTRIES)) writeTitle(...entry);
  writeFileSync(join(folder, 'README.md'), contents);
  writeFileSync(digestsPath, `${JSON.stringify(referenceDigests(), null, 2)}\n`);
  return folder;
}

/** TypeDoc titles a page by its source, which means nothing to the package's users. */
function writeTitle(source: string, [name, words]: readonly [string, string]): void {
  const path = join(folder, `${source}.md`);
  const text = readFileSync(path, 'utf8');
  const made = `# ${source}\n`;
  if (!text.startsWith(made)) throw new Error(`${path} does not begin with its title`);
  const lead = `What a program gets from \`${name}\`: ${words}.\n`;
  writeFileSync(path, `# ${name}\n\n${lead}${text.slice(made.length)}`);
}

/** The stored digests of the reference's input and output. */
export function committedReferenceDigests(): unknown {
  return JSON.parse(readFileSync(digestsPath, 'utf8'));
}

/** Digests of the compiled types, the only input of the pages, and of the pages. */
export function referenceDigests(): { readonly types: string; readonly pages: string } {
  const compiled = mkdtempSync(join(tmpdir(), 'tapeloom-client-types-'));
  try {
    const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
    const args = ['-p', tsconfig, '--emitDeclarationOnly', '--outDir', compiled];
    execFileSync(process.execPath, [tsc, ...args], { stdio: 'pipe' });
    return { types: digestOf(compiled, '.d.ts'), pages: digestOf(folder, '.md') };
  } finally {
    rmSync(compiled, { recursive: true });
  }
}

function digestOf(directory: string, ending: string): string {
  const hash = createHash('sha256');
  for (const path of globSync(`**/*${ending}`, { cwd: directory }).sort()) {
    hash
      .update(`${path}\n`)
      .update(readFileSync(join(directory, path)))
      .update('\n');
  }
  return hash.digest('hex').slice(0, 16);
}

function options(): TypeDocOptions & PluginOptions {
  return {
    entryPoints: Object.keys(ENTRIES).map((source) => join(client, `src/${source}.ts`)),
    tsconfig,
    plugin: [fileURLToPath(import.meta.resolve('typedoc-plugin-markdown'))],
    outputs: [{ name: 'markdown', path: folder }],
    router: 'module',
    readme: 'none',
    name: '@tapeloom/client',
    disableSources: true,
    excludeInternal: true,
    excludeExternals: true,
    // Covers values of later services; the type's text explains them.
    intentionallyNotExported: ['OrNewer'],
    excludePrivate: true,
    logLevel: 'Warn',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    useHTMLAnchors: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
  } as TypeDocOptions & PluginOptions;
}
