/** The part of a section that shows the match, split into marked and unmarked text. */

export interface ExcerptPart {
  readonly text: string;
  readonly isMarked: boolean;
}

const CHARACTERS = 150;
/** How many characters precede the first match. */
const BEFORE = 40;

export function excerpt(text: string, words: readonly string[]): readonly ExcerptPart[] {
  const found = pattern(words);
  const first = found === null ? -1 : text.search(found);
  const start = first <= BEFORE ? 0 : text.lastIndexOf(' ', first - BEFORE) + 1;
  const whole = text.length - start <= CHARACTERS;
  const cut = text.lastIndexOf(' ', start + CHARACTERS);
  const end = whole ? text.length : cut > start ? cut : start + CHARACTERS;
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${whole ? '' : ' …'}`;
  return marked(shown, words);
}

export function marked(text: string, words: readonly string[]): readonly ExcerptPart[] {
  const found = pattern(words);
  if (found === null) return [{ text, isMarked: false }];
  return text
    .split(found)
    .map((part, index) => ({ text: part, isMarked: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

function pattern(words: readonly string[]): RegExp | null {
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length);
  if (longest.length === 0) return null;
  const either = longest.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}])(${either})(?![\\p{L}\\p{N}])`, 'giu');
}
