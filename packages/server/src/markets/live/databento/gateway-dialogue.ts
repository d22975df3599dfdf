/**
 * The dialogue before the records of a Databento gateway: greeting, challenge, authentication, its reply, and then our
 * subscriptions. Bytes come in pieces of any length. Pure. The key is used for a digest and is never shown.
 */

import { createHash } from 'node:crypto';

/** No line of the gateway is near this. */
const LINE_BYTES_MAX = 4_096;
const LINE_FEED = 10;
const PRINTABLE = /^[ -~]*$/;
const SHOWN_CHARACTERS_MAX = 200;
const BUCKET_CHARACTERS = 5;
/** The shortest that the gateway accepts. */
const HEARTBEAT_SECONDS = 5;

interface DialogueOptions {
  readonly key: string;
  /** `GLBX.MDP3` */
  readonly dataset: string;
  /** Lines to send once the key is accepted. */
  readonly subscribe: () => readonly string[];
}

type DialogueStep =
  | { readonly kind: 'reply'; readonly message: string }
  /** The gateway does not accept the key. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'garbled'; readonly why: string };

export class GatewayDialogue {
  readonly #options: DialogueOptions;
  #state: 'challenge' | 'reply' | 'over' = 'challenge';
  #line = new Uint8Array(0);

  constructor(options: DialogueOptions) {
    this.#options = options;
  }

  /** All further bytes are records. */
  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Reads the lines of a piece. `rest`: the bytes behind the dialogue; empty while it lasts. */
  take(piece: Uint8Array): {
    readonly steps: readonly DialogueStep[];
    readonly rest: Uint8Array;
  } {
    const steps: DialogueStep[] = [];
    let at = 0;
    while (this.#state !== 'over' && at < piece.length) {
      const end = piece.indexOf(LINE_FEED, at);
      const to = end < 0 ? piece.length : end;
      if (this.#line.length + to - at > LINE_BYTES_MAX) {
        steps.push({ kind: 'garbled', why: `a line of more than ${LINE_BYTES_MAX} bytes` });
        return { steps, rest: new Uint8Array(0) };
      }
      this.#line = joined(this.#line, piece.subarray(at, to));
      at = to + 1;
      if (end < 0) break;
      const line = new TextDecoder('latin1').decode(this.#line);
      this.#line = new Uint8Array(0);
      steps.push(...this.#read(line));
    }
    return { steps, rest: piece.subarray(Math.min(at, piece.length)) };
  }

  #read(line: string): readonly DialogueStep[] {
    const fields = fieldsOf(line);
    if (fields === null) {
      return [{ kind: 'garbled', why: `the line ${JSON.stringify(this.#shown(line))}` }];
    }
    if (this.#state === 'reply') return this.#authenticated(fields);
    const challenge = fields.get('cram');
    // A greeting, or something new.
    if (challenge === undefined) return [];
    this.#state = 'reply';
    const { key, dataset } = this.#options;
    const auth = `auth=${cramReply(challenge, key)}|dataset=${dataset}|encoding=dbn|compression=none`;
    const rest = `ts_out=0|heartbeat_interval_s=${HEARTBEAT_SECONDS}|client=Tapeloom`;
    return [{ kind: 'reply', message: `${auth}|${rest}\n` }];
  }

  #authenticated(fields: ReadonlyMap<string, string>): readonly DialogueStep[] {
    const success = fields.get('success');
    if (success === undefined) return [{ kind: 'garbled', why: 'a reply without success' }];
    if (success !== '1') {
      const why = this.#shown(fields.get('error') ?? 'no reason given');
      return [{ kind: 'refused', why }];
    }
    this.#state = 'over';
    return [...this.#options.subscribe(), 'start_session\n'].map((message) => ({
      kind: 'reply',
      message,
    }));
  }

  #shown(text: string): string {
    return withoutKey(text, this.#options.key);
  }
}

/** A short text of the gateway, in which no part of the key that we may have sent can be read. */
export function withoutKey(text: string, key: string): string {
  const plain = text.replaceAll(key, '…').replaceAll(key.slice(-BUCKET_CHARACTERS), '…');
  return plain.slice(0, SHOWN_CHARACTERS_MAX).replaceAll(/[^ -~…]/g, '?');
}

/** The answer to a challenge: a digest of both, and the last letters of the key, by which the gateway finds it. */
export function cramReply(challenge: string, key: string): string {
  const digest = createHash('sha256').update(`${challenge}|${key}`).digest('hex');
  return `${digest}-${key.slice(-BUCKET_CHARACTERS)}`;
}

/** `a=1|b=2`; null for anything else. */
function fieldsOf(line: string): ReadonlyMap<string, string> | null {
  const fields = new Map<string, string>();
  const plain = line.replace(/\r$/, '');
  if (!PRINTABLE.test(plain)) return null;
  for (const field of plain.split('|')) {
    const at = field.indexOf('=');
    if (at < 1) return null;
    fields.set(field.slice(0, at), field.slice(at + 1));
  }
  return fields;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
