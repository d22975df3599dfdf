/**
 * Finds the position at which a text stops being JSON. The engine's own message quotes the text, which may contain a
 * secret, and often has no position; this one has the position only.
 */

const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE_CODE = 0x20;

/** The error of a text that is no JSON: `it breaks at line 2, column 7`. */
export function jsonFault(text: string): string {
  const at = jsonBreak(text);
  const before = text.slice(0, at).split('\n');
  const place = `line ${before.length}, column ${[...before.at(-1)!].length + 1}`;
  return at < text.length ? `it breaks at ${place}` : `it ends too early, at ${place}`;
}

/** The index of the first character that is invalid; the length if the text merely ends. */
export function jsonBreak(text: string): number {
  const closers: string[] = [];
  let at = end(SPACE, text, 0);
  for (;;) {
    // A value, or the end of an empty list or object.
    const first = text[at];
    if (first === '[' || first === '{') {
      closers.push(first === '[' ? ']' : '}');
      at = end(SPACE, text, at + 1);
      if (text[at] !== closers.at(-1)) {
        const named = first === '{' ? afterName(text, at) : at;
        if (named < 0) return ~named;
        at = named;
        continue;
      }
    } else {
      const after = first === '"' ? afterString(text, at) : end(WORD, text, at);
      if (after < 0) return ~after;
      if (after === at) return at;
      at = end(SPACE, text, after);
    }
    while (closers.length > 0 && text[at] === closers.at(-1)) {
      closers.pop();
      at = end(SPACE, text, at + 1);
    }
    if (closers.length === 0 || text[at] !== ',') return at;
    at = end(SPACE, text, at + 1);
    const named = closers.at(-1) === '}' ? afterName(text, at) : at;
    if (named < 0) return ~named;
    at = named;
  }
}

/** The index after a name and its colon; without one, the complement of the invalid position. */
function afterName(text: string, from: number): number {
  const after = text[from] === '"' ? afterString(text, from) : ~from;
  if (after < 0) return after;
  const at = end(SPACE, text, after);
  return text[at] === ':' ? end(SPACE, text, at + 1) : ~at;
}

function afterString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; ) {
    if (text[at] === '"') return at + 1;
    const next = text[at] === '\\' ? end(ESCAPE, text, at) : at + 1;
    if (next === at || text.charCodeAt(at) < SPACE_CODE) return ~at;
    at = next;
  }
  return ~text.length;
}

/** The end of a match at this index; the index itself without a match. */
function end(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
