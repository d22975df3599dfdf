/**
 * Checks the tokens of a YAML text before it is parsed: the parser needs stack and time for every level, and brackets
 * alone can make a million levels. Constructs that these files never use are rejected at their first token.
 */

import { CST, Lexer } from 'yaml';

/** Nested brackets, and marks (`-`, `?`, `:`) that open consecutive levels. */
const LEVELS_MAX = 16;
/** Without brackets, every level needs one more column of indentation. */
const INDENT_MAX = 200;

const MARKS: ReadonlySet<string> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);
const REFERENCES: ReadonlySet<string> = new Set(['anchor', 'alias', 'tag']);

export interface Refusal {
  readonly offset: number;
  readonly message: string;
}

/** Null when the text may be parsed. */
export function refusalOf(text: string): Refusal | null {
  let [offset, brackets, marks] = [0, 0, 0];
  let [isScalar, isLineStart] = [false, true];
  for (const word of new Lexer().lex(text)) {
    const kind = isScalar ? 'text' : (CST.tokenType(word) ?? 'text');
    isScalar = kind === 'scalar';
    // These tokens are the lexer's own and not in the text.
    if (isScalar || kind === 'doc-mode' || kind === 'flow-error-end') continue;
    if (REFERENCES.has(kind)) {
      return { offset, message: 'anchors, references and tags (&, * and !) are not known here' };
    }
    const isOpening = kind === 'flow-seq-start' || kind === 'flow-map-start';
    const isClosing = kind === 'flow-seq-end' || kind === 'flow-map-end';
    brackets += isOpening ? 1 : isClosing ? -1 : 0;
    if (isOpening || isClosing || kind === 'comma') marks = 0;
    if (kind === 'newline' && brackets <= 0) marks = 0;
    if (MARKS.has(kind)) marks += 1;
    const isIndent = isLineStart && kind === 'space' && brackets <= 0;
    if (brackets > LEVELS_MAX || marks > LEVELS_MAX || (isIndent && word.length > INDENT_MAX)) {
      return { offset, message: 'it is nested too deeply' };
    }
    isLineStart = kind === 'newline';
    offset += word.length;
  }
  return null;
}
