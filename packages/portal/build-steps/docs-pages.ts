/**
 * Writes the pages of the documentation into a build: each from the template `docs.html`, by its address, with the
 * pictures beside them. Every link to another page of it, and every anchor, must be there: else the build is refused.
 */

import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DocsFile } from '../src/docs/docs-prerender.tsx';
import { type DocsSource, OUTSIDE_PAGES, VECTORS } from '../src/docs/docs-site.ts';
import { BuildRefusedError } from './build-refused-error.ts';

const docs = join(import.meta.dirname, '../../../docs');
/** Drawn by our programs, and by hand. */
const PICTURES = '{charts,drawings}/**/*.{svg,png}';
const vectors = join(import.meta.dirname, '../../../contract/vectors');
const TITLE_MARK = '<!--docs-title-->';
const TEXT_MARK = '<!--docs-->';

export function docsSources(): readonly DocsSource[] {
  const inside = globSync('**/*.md', { cwd: docs }).map((path) => path.replaceAll('\\', '/'));
  return [...inside.sort(), ...OUTSIDE_PAGES].map((path) => ({
    path,
    text: readFileSync(join(docs, path), 'utf8'),
  }));
}

/** `finish` puts in what every page has. */
export function writeDocs(
  site: string,
  files: readonly DocsFile[],
  finish: (html: string) => string,
): void {
  const templatePath = join(site, 'docs.html');
  const template = finish(readFileSync(templatePath, 'utf8'));
  rmSync(templatePath);
  cpSync(vectors, join(site, VECTORS), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  });
  refuseBrokenLinks(site, files);
  for (const { address, title, html } of files) {
    const name = address === '/docs' ? 'docs/index.html' : `${address.slice(1)}.html`;
    const path = join(site, name);
    mkdirSync(dirname(path), { recursive: true });
    const head = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const whole = template
      .replace(TITLE_MARK, () =>
        address === '/docs' ? 'Tapeloom docs' : `${head} · Tapeloom docs`,
      )
      .replace(TEXT_MARK, () => html);
    writeFileSync(path, whole);
  }
  for (const name of globSync(PICTURES, { cwd: docs })) {
    cpSync(join(docs, name), join(site, 'docs', name));
  }
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
      if (target?.startsWith(VECTORS) === true && existsSync(join(site, target))) continue;
      const there = anchors.get(target ?? address);
      if (there === undefined) throw new BuildRefusedError(`${address} links to ${target}`);
      if (anchor !== undefined && !there.has(anchor)) {
        throw new BuildRefusedError(`${address} links to ${target ?? ''}#${anchor}`);
      }
    }
  }
}
