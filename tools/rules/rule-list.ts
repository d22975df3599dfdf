/** Parses lines `AREA-nn<tab>title`, each id once, in reading order. Any other line is reported, never skipped. */

export const rulesPath = 'contract/rules.tsv';
export const designRulesPath = 'contract/design-rules.tsv';

export interface Rule {
  readonly id: string;
  readonly area: string;
  readonly title: string;
}

export interface RuleList {
  readonly rules: readonly Rule[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

export function parseRules(text: string): RuleList {
  const rules = new Map<string, Rule>();
  const problems: { line: number; message: string }[] = [];
  if (!text.endsWith('\n')) problems.push({ line: 1, message: 'the last line has no line end' });
  for (const [index, row] of text.replace(/\n$/, '').split('\n').entries()) {
    const match = /^(([A-Z]+)-\d{2})\t(\S.*)$/.exec(row);
    if (match === null) {
      problems.push({ line: index + 1, message: `not "AREA-nn<tab>title": ${row}` });
      continue;
    }
    const [, id, area, title] = match as unknown as [string, string, string, string];
    if (rules.has(id)) problems.push({ line: index + 1, message: `${id} stands here twice` });
    rules.set(id, { id, area, title });
  }
  return { rules: [...rules.values()], problems };
}
