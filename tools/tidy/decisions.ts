/**
 * Checks the decisions: each has a number and title, a status and at most 40 lines, and an entry in the index with the
 * same title and status. Decisions that amend or supersede it are named by number.
 */

import { type Finding, lineAt, type Tree } from './tree.ts';

const folder = 'docs/decisions/';
const index = `${folder}README.md`;
const LINES_MAX = 40;
/** `[0012](0012-name.md) (what of it)` */
const OTHER = String.raw`\[\d{4}\]\([\w.-]+\)(?: \([^)]*\))?`;
const STATUS = new RegExp(
  `^Status: (?:accepted|(?:accepted; )?(amended|superseded) by (${OTHER}(?:, ${OTHER})*))\\.`,
);
/** Lists that grow with the product. */
const isList = (number: string) => number === '0001';

export function checkDecisions(tree: Tree): readonly Finding[] {
  const found: Finding[] = [];
  const report = (path: string, line: number, message: string) =>
    found.push({ path, line, message, level: 'error' });
  const listed = listedIn(tree.texts.get(index) ?? '');
  for (const [path, text] of tree.texts) {
    const name = path.startsWith(folder) ? path.slice(folder.length) : '';
    const number = /^(\d{4})-[\w-]+\.md$/.exec(name)?.[1];
    if (number === undefined) continue;
    const lines = text.trimEnd().split('\n');
    const title = lines[0]!.startsWith(`# ${number} · `) ? lines[0]!.slice(9) : null;
    if (title === null) report(path, 1, `the first line must be "# ${number} · <title>"`);
    const status = statusOf(lines[2] ?? '');
    if (status === null) {
      report(
        path,
        3,
        'the third line must be "Status: accepted", perhaps with "; amended by [N](…)", or "Status: superseded by [N](…)"',
      );
    }
    if (lines.length > LINES_MAX && !isList(number)) {
      report(
        path,
        LINES_MAX,
        `${lines.length} lines; a decision has at most ${LINES_MAX}: measurements go to bench/notes/`,
      );
    }
    const entry = listed.get(name);
    if (entry === undefined) report(index, 1, `${name} is not listed`);
    else if (
      title !== null &&
      status !== null &&
      (entry.title !== title || entry.status !== status)
    ) {
      report(
        index,
        entry.line,
        `${name} is listed as "${entry.title}", ${entry.status}; it says "${title}", ${status}`,
      );
    }
  }
  return found;
}

interface Entry {
  readonly title: string;
  readonly status: string;
  readonly line: number;
}

/** The rows of the index, by file name. */
function listedIn(text: string): ReadonlyMap<string, Entry> {
  const rows = text.matchAll(/^\| \[\d{4}\]\(([^)]+)\) \| (.+) \| (.+) \|$/gm);
  return new Map(
    [...rows].map((row) => [
      row[1]!,
      { title: row[2]!, status: row[3]!, line: lineAt(text, row.index) },
    ]),
  );
}

/** In the words of the index: `accepted`, `amended by 0012, 0034` or `superseded by 0056`. */
function statusOf(line: string): string | null {
  const match = STATUS.exec(line);
  if (match === null) return null;
  const [, kind, others] = match;
  if (others === undefined) return 'accepted';
  const numbers = [...others.matchAll(/\[(\d{4})\]/g)].map(([, number]) => number);
  return `${kind} by ${numbers.join(', ')}`;
}
