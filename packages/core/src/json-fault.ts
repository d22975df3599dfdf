/**
 * Where a text stops being JSON. The engine's own words quote the text, which may hold a secret, and often
 * leave the place out; this names the place and nothing else.
 */

const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE_CODE = 0x20;

/** What is wrong with a text that is no JSON: `it breaks at line 2, column 7`. */
export function jsonFault(text: string): string {
  const at = jsonBreak(text);
  const before = text.slice(0, at).split('\n');
  const place = `line ${before.length}, column ${[...before.at(-1)!].length + 1}`;
  return at < text.length ? `it breaks at ${place}` : `it ends too early, at ${place}`;
}

/** The index of the first character that JSON cannot have there; the length where the text just ends. */
export function jsonBreak(text: string): number {
  const closers: string[] = [];
  let at = end(SPACE, text, 0);
  for (;;) {
    // A value, or the end of a list or object that has none yet.
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

/** Behind a name and its colon; where there is none, the complement of the place that breaks. */
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

/** The end of what matches here; the same place where nothing does. */
function end(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
