/**
 * Three views of a source text, each of its length, so that an index or a line means the same in all: `code` without
 * comments, `bare` also without the content of strings, templates and regular expressions, and `comments` alone.
 * Omitted parts are spaces; line ends always stay.
 */

export interface SourceText {
  readonly code: string;
  readonly bare: string;
  readonly comments: string;
}

type Kind = 'code' | 'comment' | 'literal';

export function readSource(text: string): SourceText {
  const code: string[] = [];
  const bare: string[] = [];
  const comments: string[] = [];
  for (const { kind, part } of pieces(text)) {
    const blank = part.replace(/[^\n]/g, ' ');
    code.push(kind === 'comment' ? blank : part);
    bare.push(kind === 'code' ? part : blank);
    comments.push(kind === 'comment' ? part : blank);
  }
  return { code: code.join(''), bare: bare.join(''), comments: comments.join('') };
}

const plainString = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|^#![^\n]*/y;
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const templatePart = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
const ordinary = /[^'"`/{}#]+|[{}#/]/y;
/** After these, a slash starts a regular expression; otherwise it divides. */
const beforeRegularExpression = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in))\s*$/;

function* pieces(text: string): Generator<{ readonly kind: Kind; readonly part: string }> {
  // A stack with one entry per open `${` of a template: the count of braces opened inside it.
  const templates: number[] = [];
  let before = '';
  for (let at = 0; at < text.length; ) {
    const take = (pattern: RegExp): string | null => {
      pattern.lastIndex = at;
      return pattern.exec(text)?.[0] ?? null;
    };
    let kind: Kind = 'literal';
    let part = take(comment);
    if (part !== null) kind = 'comment';
    part ??= take(plainString);
    if (part === null && text[at] === '/' && beforeRegularExpression.test(before)) {
      part = take(regularExpression);
    }
    if (part === null && (text[at] === '`' || (text[at] === '}' && templates.at(-1) === 0))) {
      if (text[at] === '}') templates.pop();
      at += 1;
      const rest = take(templatePart) ?? text.slice(at);
      at -= 1;
      part = text[at] + rest;
      if (rest.endsWith('${')) templates.push(0);
    }
    if (part === null) {
      kind = 'code';
      part = take(ordinary) ?? text[at]!;
      const open = templates.length - 1;
      if (open >= 0 && part === '{') templates[open]! += 1;
      if (open >= 0 && part === '}') templates[open]! -= 1;
    }
    yield { kind, part };
    at += part.length;
    if (kind !== 'comment') before = (before + part).slice(-40);
  }
}
