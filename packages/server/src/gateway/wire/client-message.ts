/**
 * Parses the text of a frame into a message, or into the exact reason why it is none. All input of clients passes here
 * first. A message has exactly the declared fields and types, a limited depth, and never a `__proto__`.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import { instantFault, parseInstant } from '@tapeloom/core/instant-text';
import { jsonFault } from '@tapeloom/core/json-fault';
import {
  type ClientMessage,
  PING_ID_BYTES_MAX,
  STREAM_MODES,
  SUB_BYTES_MAX,
  TOKEN_CHARACTERS_MAX,
} from '@tapeloom/protocol/client-messages';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault } from '@tapeloom/protocol/problem';

export const DEPTH_MAX = 8;
/** Faults named in one reply, so that a hostile message never gets a much longer response. */
const FAULTS_MAX = 16;
/** The longest path in a reply. */
const PATH_CHARACTERS_MAX = 128;
const NAME_CHARACTERS_MAX = 64;
/** A `sub` of up to so many bytes is repeated whole in a reply, also one that is too long to be valid. */
const SUB_ECHO_BYTES_MAX = 256;

/** The content of an `error` message. */
export interface ErrorReply {
  /** The subscription concerned; absent when the message could not be understood. */
  readonly sub?: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors?: readonly FieldFault[];
}

export type ParsedMessage =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly reply: ErrorReply };

type Fields = Readonly<Record<string, unknown>>;
/** Returns the fault of a field's value, or null; `undefined` is an absent field. */
type FieldRule = (value: unknown) => string | null;

const RULES: Readonly<Record<ClientMessage['t'], Readonly<Record<string, FieldRule>>>> = {
  auth: { token: tokenFault },
  subscribe: {
    sub: subFault,
    instrument: nameFault,
    indicator: nameFault,
    params: (value) => (value === undefined || isFields(value) ? null : 'Must be an object.'),
    mode: (value) =>
      value === undefined || STREAM_MODES.some((mode) => mode === value)
        ? null
        : 'Must be "live" or "confirmed".',
    from: fromFault,
  },
  unsubscribe: { sub: subFault },
  ping: { id: pingIdFault },
};

export function parseClientMessage(text: string): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notUnderstood(`The message is not valid JSON: ${jsonFault(text)}.`);
  }
  if (!isFields(value)) return notUnderstood('A message must be one JSON object.');
  const sub = subOf(value);
  const harm = harmIn(value);
  if (harm !== null) return { ok: false, reply: { ...sub, ...invalid([harm]) } };
  const kind = value.t;
  if (typeof kind !== 'string' || !Object.hasOwn(RULES, kind)) {
    const kinds = Object.keys(RULES).join(', ');
    return { ok: false, reply: invalid([{ path: '/t', message: `Must be one of ${kinds}.` }]) };
  }
  const t = kind as ClientMessage['t'];
  // After the first message, an `auth` is ignored whatever it holds, so only its kind is checked.
  const faults = t === 'auth' ? [] : faultsOf(value, RULES[t]);
  // The rules above checked every field, so the value has the shape of its kind.
  if (faults.length === 0) return { ok: true, message: value as unknown as ClientMessage };
  return { ok: false, reply: { ...sub, ...invalid(faults) } };
}

/** The token of a valid `auth`; null when the text is anything else. */
export function parseAuthToken(text: string): string | null {
  const parsed = parseClientMessage(text);
  if (!parsed.ok || parsed.message.t !== 'auth') return null;
  return faultsOf({ ...parsed.message }, RULES.auth).length === 0 ? parsed.message.token : null;
}

/** An `INVALID_PARAMETERS` reply whose text names every faulty field. */
export function invalid(faults: readonly FieldFault[]): Omit<ErrorReply, 'sub'> {
  const message = faults.map((fault) => `${fault.path}: ${fault.message}`).join(' ');
  return { code: 'INVALID_PARAMETERS', message, errors: faults };
}

/** For a text that is no JSON object, the path is that of the whole document. */
function notUnderstood(message: string): ParsedMessage {
  return { ok: false, reply: { ...invalid([{ path: '', message }]), message } };
}

/** The subscription that a message concerns, if it can be read, whatever else is wrong. */
function subOf({ t, sub }: Fields): Pick<ErrorReply, 'sub'> {
  const isAboutOne = t === 'subscribe' || t === 'unsubscribe';
  if (!isAboutOne || typeof sub !== 'string') return {};
  return Buffer.byteLength(sub) <= SUB_ECHO_BYTES_MAX ? { sub } : {};
}

function faultsOf(fields: Fields, rules: Readonly<Record<string, FieldRule>>): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const [name, faultOf] of Object.entries(rules)) {
    const message = faultOf(fields[name]);
    if (message !== null) faults.push({ path: `/${name}`, message });
  }
  for (const name of Object.keys(fields)) {
    if (name === 't' || Object.hasOwn(rules, name)) continue;
    faults.push({ path: `/${pointerPart(name)}`, message: 'Is not a field of this message.' });
  }
  return faults.slice(0, FAULTS_MAX);
}

function tokenFault(value: unknown): string | null {
  if (typeof value === 'string' && value.length >= 1 && value.length <= TOKEN_CHARACTERS_MAX) {
    return null;
  }
  return 'Must be a stream token.';
}

function subFault(value: unknown): string | null {
  if (value === undefined) return 'Is required.';
  if (typeof value !== 'string') return 'Must be a string.';
  const bytes = Buffer.byteLength(value);
  if (bytes >= 1 && bytes <= SUB_BYTES_MAX) return null;
  return `Must have 1 to ${SUB_BYTES_MAX} bytes in UTF-8.`;
}

function nameFault(value: unknown): string | null {
  if (value === undefined) return 'Is required.';
  if (typeof value !== 'string') return 'Must be a string.';
  if (value.length >= 1 && value.length <= NAME_CHARACTERS_MAX) return null;
  return `Must have 1 to ${NAME_CHARACTERS_MAX} characters.`;
}

function fromFault(value: unknown): string | null {
  if (value === undefined || value === 'live') return null;
  const [field, ...others] = isFields(value) ? Object.entries(value) : [];
  if (field !== undefined && others.length === 0) {
    const [name, text] = field;
    if (name === 'cursor') {
      const isCursor = typeof text === 'string' && parseCursor(text) !== null;
      return isCursor ? null : 'Must contain a cursor such as "20261113.48211.1".';
    }
    if (name === 'time') {
      if (typeof text !== 'string') return 'Must contain "time" as a string.';
      return parseInstant(text) === null ? sentence(`Its "time" ${instantFault(text)}`) : null;
    }
  }
  return 'Must be "live", { "cursor": … } or { "time": … }.';
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

function pingIdFault(value: unknown): string | null {
  if (value === undefined || Number.isSafeInteger(value)) return null;
  if (typeof value === 'string' && Buffer.byteLength(value) <= PING_ID_BYTES_MAX) return null;
  return `Must be an integer or a string of up to ${PING_ID_BYTES_MAX} bytes.`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first field that nests too deep or is a `__proto__`. No recursion: no depth can exhaust the stack. */
function harmIn(root: object): FieldFault | null {
  let level: (readonly [path: string, node: object])[] = [['', root]];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) {
      const message = `Is nested deeper than ${DEPTH_MAX} levels.`;
      return { path: shortened(level[0]![0]), message };
    }
    const next: (readonly [string, object])[] = [];
    for (const [path, node] of level) {
      if (Object.hasOwn(node, '__proto__')) {
        return { path: shortened(`${path}/__proto__`), message: 'Is not allowed.' };
      }
      for (const [name, value] of Object.entries(node)) {
        if (typeof value === 'object' && value !== null) {
          next.push([`${path}/${pointerPart(name)}`, value]);
        }
      }
    }
    level = next;
  }
  return null;
}

/** The path, cut after the last field that fits the limit. */
function shortened(path: string): string {
  if (path.length <= PATH_CHARACTERS_MAX) return path;
  const end = path.lastIndexOf('/', PATH_CHARACTERS_MAX);
  return path.slice(0, end);
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
