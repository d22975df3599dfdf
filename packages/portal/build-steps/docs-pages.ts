/**
 * Writes the documentation into a build: each page from the template `docs.html` with its Markdown beside it, pictures,
 * the feed of changes, and the search data. A missing link target, anchor or picture fails the build, and so does a
 * search above its size limit.
 */

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FEED_ADDRESS } from '../src/docs/changelog-feed.ts';
import type { DocsBuild, DocsFile, DocsInput } from '../src/docs/docs-prerender.tsx';
import { type DocsSource, OUTSIDE_PAGES, VECTORS } from '../src/docs/docs-site.ts';
import { escapeText } from '../src/docs/escaped-text.ts';
import { BuildRefusedError } from './build-refused-error.ts';
import { hashedName } from './hashed-name.ts';

const docs = join(import.meta.dirname, '../../../docs');
/** Pictures drawn by our programs, and by hand. */
const PICTURES = '{charts,drawings}/**/*.{svg,png}';
const vectors = join(import.meta.dirname, '../../../contract/vectors');
const TITLE_MARK = '<!--docs-title-->';
const HEAD_MARK = '<!--docs-head-->';
const TEXT_MARK = '<!--docs-->';
/** Gzipped bytes that the search of an audience may load: less than the pictures of one page. */
const SEARCH_BYTES_MAX = { index: 160_000, texts: 200_000 };

export function docsSources(): readonly DocsSource[] {
  const inside = globSync('**/*.md', { cwd: docs }).map((path) => path.replaceAll('\\', '/'));
  return [...inside.sort(), ...OUTSIDE_PAGES].map((path) => ({
    path,
    text: readFileSync(join(docs, path), 'utf8'),
  }));
}

export function docsInput(): DocsInput {
  return { sources: docsSources(), changedAt: changelogTime() };
}

/** The commit time; without a repository, the file's modification time. */
function changelogTime(): Date {
  const path = join(docs, '../CHANGELOG.md');
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%cI', '--', path], {
    cwd: docs,
    encoding: 'utf8',
  });
  const committed = Date.parse(stdout?.trim() ?? '');
  return Number.isNaN(committed) ? statSync(path).mtime : new Date(committed);
}

/** `finish` inserts the parts that every page has. */
export function writeDocs(
  site: string,
  { files, texts, searches }: DocsBuild,
  finish: (html: string) => string,
): void {
  const templatePath = join(site, 'docs.html');
  const template = finish(readFileSync(templatePath, 'utf8'));
  rmSync(templatePath);
  cpSync(vectors, join(site, VECTORS), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  });
  for (const name of globSync(PICTURES, { cwd: docs })) {
    cpSync(join(docs, name), join(site, 'docs', name));
  }
  for (const [address, text] of texts) write(site, address, text);
  const metas = searches.map(({ audience, index, texts: shown }) => {
    const names = [searchFile(site, 'index', index), searchFile(site, 'texts', shown)];
    return `<meta name="docs-search-${audience}" content="/${names.join(' /')}" />`;
  });
  refuseBrokenLinks(site, files);
  for (const file of files) {
    const { address, title, html } = file;
    const head = address === '/docs' ? 'Tapeloom docs' : `${escapeText(title)} · Tapeloom docs`;
    const whole = template
      .replace(TITLE_MARK, () => head)
      .replace(HEAD_MARK, () => [...linksOf(file), ...metas].join('\n    '))
      .replace(TEXT_MARK, () => html);
    write(site, address === '/docs' ? '/docs/index.html' : `${address}.html`, whole);
  }
}

function linksOf({ address, title, lead, audience }: DocsFile): readonly string[] {
  return [
    `<meta name="docs-audience" content="${audience}" />`,
    `<meta name="description" content="${escapeText(lead)}" />`,
    `<meta property="og:title" content="${escapeText(title)}" />`,
    `<meta property="og:description" content="${escapeText(lead)}" />`,
    '<meta property="og:image" content="http://127.0.0.1:8080/social.png" />',
    `<link rel="alternate" type="text/markdown" href="${address}.md" />`,
    `<link rel="alternate" type="application/atom+xml" title="Changes" href="${FEED_ADDRESS}" />`,
  ];
}

/** Returns the file's name. */
function searchFile(site: string, part: 'index' | 'texts', json: string): string {
  const bytes = gzipSync(json).length;
  if (bytes > SEARCH_BYTES_MAX[part]) {
    const allowed = SEARCH_BYTES_MAX[part];
    throw new BuildRefusedError(
      `the ${part} of the search has ${bytes} bytes gzipped, allowed are ${allowed}`,
    );
  }
  const name = hashedName(`search-${part}`, '.json', json);
  write(site, name, json);
  return name;
}

function write(site: string, address: string, text: string): void {
  const path = join(site, address);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function refuseBrokenLinks(site: string, files: readonly DocsFile[]): void {
  const anchors = new Map(
    files.map(({ address, html }) => [
      address,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
    ]),
  );
  for (const { address, html } of files) {
    for (const [, target, anchor] of html.matchAll(/ href="(\/docs[^"#]*)?(?:#([^"]*))?"/g)) {
      if (target !== undefined && isServed(site, target)) continue;
      const there = anchors.get(target ?? address);
      if (there === undefined) throw new BuildRefusedError(`${address} links to ${target}`);
      if (anchor !== undefined && !there.has(anchor)) {
        throw new BuildRefusedError(`${address} links to ${target ?? ''}#${anchor}`);
      }
    }
    for (const [, picture] of html.matchAll(/ src="([^"]+)"/g)) {
      if (!existsSync(join(site, picture!))) {
        throw new BuildRefusedError(`${address} shows ${picture}, which is not there`);
      }
    }
  }
}

/** Links outside the documentation: files, and pages of the portal. */
function isServed(site: string, address: string): boolean {
  return /\.\w+$/.test(address)
    ? existsSync(join(site, address))
    : existsSync(join(site, `${address}.html`));
}
