/**
 * The fenced blocks of the documentation: their location, language, and the info string's marks for
 * running them. Rules for authors: `docs/guides/write-docs.md`.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const PAGES = ['README.md', 'packages/client/README.md', 'packages/cli/README.md'];
/** Only its examples, which begin with an import, are programs; its signatures are generated. */
const GENERATED = /^docs\/client\//;
const MARKS = ['file', 'lines', 'not-run', 'tested-by', 'tab', 'browser', 'fragment'];

export interface Fence {
  readonly page: string;
  /** `docs/keys.md:67` */
  readonly place: string;
  /** The first word after the fence. */
  readonly language: string;
  /** The following words with their values; a word without a value maps to an empty string. */
  readonly marks: ReadonlyMap<string, string>;
  /** Invalid words of the info string. */
  readonly faults: readonly string[];
  readonly text: string;
}

/** Every block that has a language, of every page with samples. */
export function allFences(): readonly Fence[] {
  const inside = globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return [...PAGES, ...inside.sort()].flatMap((page) =>
    fencesIn(page, readFileSync(join(root, page), 'utf8')),
  );
}

export function fencesIn(page: string, text: string): readonly Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^( *)(`{3,}|~{3,})(.*)$/.exec(lines[at]!);
    if (opening === null) continue;
    const [, indent, ticks, info] = opening as unknown as [string, string, string, string];
    const end = lines.findIndex(
      (line, index) => index > at && line.trim().startsWith(ticks) && /^[`~]+$/.test(line.trim()),
    );
    const until = end === -1 ? lines.length : end;
    const inner = lines.slice(at + 1, until).map((line) => withoutIndent(line, indent.length));
    const { language, marks, faults } = readInfo(info);
    const fence = { page, place: `${page}:${at + 1}`, language, marks, faults };
    const isSignature = GENERATED.test(page) && !/^import /.test(inner[0] ?? '');
    if (language !== '' && !isSignature) fences.push({ ...fence, text: `${inner.join('\n')}\n` });
    at = until;
  }
  return fences;
}

function readInfo(info: string): Pick<Fence, 'language' | 'marks' | 'faults'> {
  const [language = '', ...rest] = info.trim().split(/\s+/);
  const words = rest.join(' ');
  const marks = new Map<string, string>();
  const faults: string[] = [];
  const left = words.replace(
    /([\w-]+)(?:="([^"]*)"|=([^\s"]+))?/g,
    (_, name: string, quoted?: string, bare?: string) => {
      if (language === 'json' && name === 'lines' && quoted === undefined && bare === undefined) {
        marks.set('json-lines', '');
      } else if (MARKS.includes(name)) marks.set(name, quoted ?? bare ?? '');
      else faults.push(`"${name}" is none of ${MARKS.join(', ')}`);
      return '';
    },
  );
  if (left.trim() !== '') faults.push(`"${left.trim()}" means nothing`);
  for (const name of ['not-run', 'tested-by', 'file', 'lines', 'tab']) {
    if (marks.get(name) === '') faults.push(`${name} has no value`);
  }
  return { language, marks, faults };
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, line.length - line.trimStart().length));
}
