/**
 * Builds the portal: hashed scripts, styles and fonts, the pages, and the prerendered pages. A build is made in a
 * temporary folder and then moved into place, so an incomplete one is never visible.
 */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import type { prerenderDocs } from '../src/docs/docs-prerender.tsx';
import type { prerenderLanding } from '../src/pages/landing/landing-prerender.tsx';
import { BuildRefusedError } from './build-refused-error.ts';
import { docsInput, writeDocs } from './docs-pages.ts';
import { encodeFiles } from './encoded-files.ts';
import { hashedName } from './hashed-name.ts';
import { licencesText } from './licences.ts';
import { type EntrySize, scriptBytesMax, scriptSizes } from './script-sizes.ts';
import { withoutUnusedParts } from './unused-parts.ts';

const portal = join(import.meta.dirname, '..');
const cache = join(portal, '../../node_modules/.cache');
const tools = join(portal, '../../tools/build.ts');
export const portalOut = join(portal, 'dist');

const HEAD_MARK = '<!--portal-head-->';
const LANDING_MARK = '<!--landing-->';

export interface BuiltPortal {
  readonly folder: string;
  readonly sizes: readonly EntrySize[];
}

export async function buildPortal(out: string): Promise<BuiltPortal> {
  const work = join(cache, `portal-${process.pid}-${randomUUID().slice(0, 8)}`);
  const site = join(work, 'site');
  try {
    const client = join(work, 'tapeloom-client.tgz');
    const packed = promisify(execFile)(process.execPath, [tools, '--client-download', client]);
    const [output] = await Promise.all([bundled(site), packed]);
    const sizes = scriptSizes(output);
    refuseLarge(sizes);
    const head = headOf(site, output);
    const written = await prerendered(work);
    finishPage(join(site, 'index.html'), head, written.landing(portal));
    finishPage(join(site, 'app.html'), head, '');
    finishPage(join(site, 'charts.html'), head, '');
    writeDocs(site, written.docs(docsInput()), (html) => html.replace(HEAD_MARK, () => head));
    writeFileSync(join(site, 'licences.txt'), licencesText(output));
    cpSync(join(portal, 'static'), site, { recursive: true });
    mkdirSync(join(site, 'downloads'));
    cpSync(client, join(site, 'downloads/tapeloom-client.tgz'));
    await encodeFiles(site);
    moveInto(site, out);
    return { folder: out, sizes };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const common = {
  root: portal,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
} satisfies InlineConfig;

type Output = readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[];

/** The workspace shares no script with other pages: it would carry what they need, and they what it needs. */
async function bundled(outDir: string): Promise<Output> {
  const pages = await bundle(outDir, {
    index: join(portal, 'index.html'),
    app: join(portal, 'app.html'),
    docs: join(portal, 'docs.html'),
    portal: join(portal, 'src/styles/portal.css'),
  });
  const charts = await bundle(
    outDir,
    { charts: join(portal, 'charts.html') },
    // Its parts are fetched one by one, and each needs little besides.
    { plugins: [withoutUnusedParts()], modulePreload: false },
  );
  return [...pages.output, ...charts.output];
}

async function bundle(
  outDir: string,
  input: Readonly<Record<string, string>>,
  more: Pick<InlineConfig, 'plugins'> & Pick<BuildOptions, 'modulePreload'> = {},
): Promise<Rolldown.RolldownOutput> {
  const result = await build({
    ...common,
    plugins: [htmlLeavesMarks(), ...(more.plugins ?? [])],
    build: {
      outDir,
      // It is a new folder, and the second build adds to the first.
      emptyOutDir: false,
      // Our Content-Security-Policy forbids data URLs.
      assetsInlineLimit: 0,
      modulePreload: more.modulePreload ?? { polyfill: false },
      target: 'baseline-widely-available',
      reportCompressedSize: false,
      // Sizes are checked compressed, below.
      chunkSizeWarningLimit: 4_000,
      rolldownOptions: { input },
    },
  });
  return result as Rolldown.RolldownOutput;
}

/** Vite must keep the marks: a page without them would have no styles. */
function htmlLeavesMarks(): Plugin {
  return {
    name: 'portal-marks',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => {
        if (!html.includes(HEAD_MARK)) throw new BuildRefusedError(`a page has no ${HEAD_MARK}`);
        return html;
      },
    },
  };
}

interface WrittenPages {
  readonly landing: typeof prerenderLanding;
  readonly docs: typeof prerenderDocs;
}

/** Prerenders the landing page and the documentation, so that they show before any script runs. */
async function prerendered(work: string): Promise<WrittenPages> {
  const outDir = join(work, 'prerender');
  await build({
    ...common,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      emptyOutDir: true,
      outDir,
      rolldownOptions: {
        input: {
          landing: join(portal, 'src/pages/landing/landing-prerender.tsx'),
          docs: join(portal, 'src/docs/docs-prerender.tsx'),
        },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  const load = (name: string) => import(pathToFileURL(join(outDir, `${name}.mjs`)).href);
  const { prerenderLanding: landing } = await load('landing');
  const { prerenderDocs: docs } = await load('docs');
  return { landing, docs };
}

/** Theme first, so that nothing flashes; then the one font before the first text, and the styles. */
function headOf(site: string, output: Output) {
  const theme = hashedFile(site, 'theme', '.js');
  const icon = hashedFile(site, 'icon', '.svg');
  const nameOf = (pattern: RegExp) => {
    const found = output.find(({ fileName }) => pattern.test(fileName));
    if (found === undefined) throw new BuildRefusedError(`the build has no ${pattern}`);
    return found.fileName;
  };
  const font = nameOf(/^assets\/inter-latin-wght-normal-.*\.woff2$/);
  const styles = nameOf(/^assets\/portal-.*\.css$/);
  return [
    `<script src="/${theme}"></script>`,
    `<link rel="icon" href="/${icon}" type="image/svg+xml" />`,
    `<link rel="preload" href="/${font}" as="font" type="font/woff2" crossorigin />`,
    `<link rel="stylesheet" href="/${styles}" />`,
  ].join('\n    ');
}

/** Copies one of our files under a name that changes with its content; returns that name. */
function hashedFile(site: string, name: string, ending: string): string {
  const content = readFileSync(join(portal, `${name}${ending}`));
  const path = hashedName(name, ending, content);
  writeFileSync(join(site, path), content);
  return path;
}

function finishPage(path: string, head: string, landing: string): void {
  const html = readFileSync(path, 'utf8');
  const whole = html.replace(HEAD_MARK, () => head).replace(LANDING_MARK, () => landing);
  writeFileSync(path, whole);
}

function refuseLarge(sizes: readonly EntrySize[]): void {
  const large = sizes.find(({ name, bytes }) => bytes > scriptBytesMax(name));
  if (large === undefined) return;
  throw new BuildRefusedError(
    `${large.name} has ${large.bytes} bytes of script gzipped, allowed are ${scriptBytesMax(large.name)}`,
  );
}

/** A folder cannot be renamed over another, so the old one is moved aside for a moment. */
function moveInto(site: string, out: string): void {
  const beside = join(dirname(out), `.${basename(out)}-${process.pid}`);
  mkdirSync(dirname(out), { recursive: true });
  try {
    renameSync(site, beside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    cpSync(site, beside, { recursive: true });
  }
  const old = join(cache, `portal-old-${process.pid}-${randomUUID().slice(0, 8)}`);
  try {
    renameSync(out, old);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EXDEV') rmSync(out, { recursive: true, force: true });
    else if (code !== 'ENOENT') throw error;
  }
  renameSync(beside, out);
  rmSync(old, { recursive: true, force: true });
}
