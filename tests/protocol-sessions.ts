/**
 * The example sessions of `docs/protocol.md`, in blocks marked `session`. Each line is a message of
 * the client (`>`), a frame of the server (`<`, in this order without others between), or another
 * event (`--`).
 */

export type SessionLine =
  | { readonly t: 'client'; readonly text: string }
  | { readonly t: 'server'; readonly text: string }
  /** An unlisted number of messages before a close. */
  | { readonly t: 'many' }
  | { readonly t: 'close'; readonly code: number; readonly reason: string }
  | { readonly t: 'direction'; readonly text: string };

export interface Session {
  /** The heading above it. */
  readonly name: string;
  readonly lines: readonly SessionLine[];
}

/** Stands for a value that always differs. */
const ANYTHING = '…';

export function sessionsOf(page: string): readonly Session[] {
  const found = page.matchAll(/^#+ (?<heading>.+)$|^```session\n(?<block>[\s\S]*?)^```$/gm);
  let name = '';
  const sessions: Session[] = [];
  for (const { groups } of found) {
    name = groups?.heading ?? name;
    const block = groups?.block;
    if (block !== undefined)
      sessions.push({ name, lines: block.trimEnd().split('\n').map(lineOf) });
  }
  return sessions;
}

/** The message in the expected field order, variable values masked; equal texts mean a match. */
export function maskedBy(expected: unknown, message: unknown): unknown {
  if (expected === ANYTHING) return ANYTHING;
  if (Array.isArray(expected) && Array.isArray(message)) {
    return message.map((item, index) => maskedBy(expected[index], item));
  }
  if (!isObject(expected) || !isObject(message)) return message;
  const names = new Set([...Object.keys(expected), ...Object.keys(message)]);
  const present = [...names].filter((name) => Object.hasOwn(message, name));
  return Object.fromEntries(present.map((name) => [name, maskedBy(expected[name], message[name])]));
}

function lineOf(line: string): SessionLine {
  const [mark, text] = [line.slice(0, 2), line.slice(2).trim()];
  if (mark === '--') return { t: 'direction', text };
  if (mark === '> ') return { t: 'client', text };
  const close = /^close (\d{4}) (.+)$/.exec(text);
  if (mark === '< ' && close !== null) {
    return { t: 'close', code: Number(close[1]), reason: close[2]! };
  }
  if (line === `< ${ANYTHING}`) return { t: 'many' };
  if (mark === '< ') return { t: 'server', text };
  throw new Error(`a line of a session begins with ">", "<" or "--": ${line}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
