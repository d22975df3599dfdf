/** Terminal text: colours that can be turned off, and widths that ignore control sequences. */

export interface Ink {
  bold(text: string): string;
  faint(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  inverse(text: string): string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for terminal control sequences.
const SEQUENCE = /\u001b\[[0-9;]*m/g;
const RESET = '\u001b[0m';

export function createInk(hasColour: boolean): Ink {
  const style = (code: string) => (text: string) =>
    hasColour && text !== '' ? `\u001b[${code}m${text}${RESET}` : text;
  return {
    bold: style('1'),
    faint: style('2'),
    red: style('31'),
    green: style('32'),
    yellow: style('33'),
    inverse: style('7'),
  };
}

export function seenWidth(text: string): number {
  return text.replaceAll(SEQUENCE, '').length;
}

export function padStartSeen(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - seenWidth(text))) + text;
}

export function padEndSeen(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - seenWidth(text)));
}

/** The first `width` visible characters, with styles closed. */
export function cutSeen(text: string, width: number): string {
  if (seenWidth(text) <= width) return text;
  let seen = 0;
  let out = '';
  for (let at = 0; at < text.length && seen < width; ) {
    SEQUENCE.lastIndex = at;
    const match = SEQUENCE.exec(text);
    if (match?.index === at) {
      out += match[0];
      at += match[0].length;
    } else {
      out += text[at]!;
      seen += 1;
      at += 1;
    }
  }
  SEQUENCE.lastIndex = 0;
  return `${out}${RESET}`;
}
