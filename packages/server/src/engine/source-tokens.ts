/**
 * Cuts a TypeScript module into its tokens and drops comments and layout, so that two sources with
 * equal tokens are the same program. A line break before a token is kept as part of it, because it can
 * end a statement. Strings, templates and regular expressions are whole tokens: nothing inside them is
 * ever taken for a comment.
 */

const WORD = /[\p{ID_Continue}$#@]+/uy;
const NUMBER = /(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*/y;
const OPERATOR =
  /\.\.\.|=>|\+\+|--|\?\.(?!\d)|(?:\*\*|<<|>>>?|&&|\|\||\?\?|[-+*%&|^])=?|[=!]==?|[<>]=|[\s\S]/uy;
const BLANK = /\s+/uy;
const LINE_COMMENT = /\/\/[^\n]*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?![*/])(?:[^\\/[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;
/** A template up to its end or to the next `${`; the text after a hole starts at its `}`. */
const TEMPLATE_START = /`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const TEMPLATE_REST = /\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/** Words after which a slash starts a regular expression, though after other words it divides. */
const BEFORE_VALUE: ReadonlySet<string> = new Set(
  'await case delete do else extends in instanceof new of return throw typeof void yield'.split(
    ' ',
  ),
);

export class UnreadableSourceError extends Error {}

export function sourceTokens(source: string): readonly string[] {
  const tokens: string[] = [];
  /** What each open brace belongs to: a template's hole, or code. */
  const braces: ('hole' | 'code')[] = [];
  let at = 0;
  let lineBreak = '';
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0] ?? null;
    if (text !== null) at += text.length;
    return text;
  };
  while (at < source.length) {
    const skipped = take(BLANK) ?? take(LINE_COMMENT) ?? take(BLOCK_COMMENT);
    if (skipped !== null) {
      if (skipped.includes('\n')) lineBreak = '\n';
      continue;
    }
    const token = nextToken(take, source[at]!, braces, tokens.at(-1)?.trim());
    if (token === null) throw new UnreadableSourceError(`no token at character ${at}`);
    tokens.push(lineBreak + token);
    lineBreak = '';
  }
  return tokens;
}

function nextToken(
  take: (pattern: RegExp) => string | null,
  character: string,
  braces: ('hole' | 'code')[],
  before: string | undefined,
): string | null {
  switch (character) {
    case "'":
    case '"':
      return take(STRING);
    case '`':
      return openHole(take(TEMPLATE_START), braces);
    case '/':
      return (mayStartRegex(before) ? take(REGEX) : null) ?? take(/\/=?/y);
    case '{':
      braces.push('code');
      return take(/\{/y);
    case '}':
      return braces.pop() === 'hole' ? openHole(take(TEMPLATE_REST), braces) : take(/\}/y);
    default:
      return take(NUMBER) ?? take(WORD) ?? take(OPERATOR);
  }
}

function openHole(template: string | null, braces: ('hole' | 'code')[]): string | null {
  if (template?.endsWith('${')) braces.push('hole');
  return template;
}

/** A slash divides after a value: a name, a number, a literal or a closing bracket. */
function mayStartRegex(before: string | undefined): boolean {
  if (before === undefined || BEFORE_VALUE.has(before)) return true;
  return !/[\p{ID_Continue}$)\]}'"`/]$/u.test(before) && before !== '++' && before !== '--';
}
