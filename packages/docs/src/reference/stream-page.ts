/**
 * `docs/reference/stream.md`: every message of the stream with its fields and examples, the close codes, and the
 * limits, from the AsyncAPI document. Prerendered, so it needs no script.
 */

import { type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';
import { asyncapiText } from '@tapeloom/server/http/contract/interface-documents';
import { docsPath } from '../docs-path.ts';
import { code, table } from '../markdown-table.ts';
import {
  fieldTable,
  type JsonSchema,
  jsonBlock,
  type NamedSchemas,
  number,
  wholeSchema,
} from './schema-fields.ts';

export const STREAM_PATH = docsPath('reference/stream.md');

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: JsonSchema;
  readonly examples: readonly { readonly payload: unknown }[];
}
interface Ref {
  readonly $ref: string;
}
interface Operation {
  readonly action: 'send' | 'receive';
  readonly messages: readonly Ref[];
  readonly reply?: { readonly messages: readonly Ref[] };
}
interface AsyncapiDocument {
  readonly channels: {
    readonly stream: {
      readonly 'x-close-codes': readonly {
        readonly code: number;
        readonly reason: string | null;
        readonly meaning: string;
      }[];
      readonly 'x-limits': Readonly<Record<string, number>>;
      readonly 'x-error-codes': readonly {
        readonly code: ErrorCode;
        readonly title: string;
        readonly retryable: boolean;
      }[];
    };
  };
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: NamedSchemas;
  };
}

const INTRO = `# Stream interface

Every message of the stream, with its fields and examples. This page is generated from the AsyncAPI document, which every service
serves at \`/v1/asyncapi.json\` with its own address in it; tools can read it. For the order of messages, and how a client resumes, see [Stream protocol](../protocol.md).

In a browser with scripts, this page has a console. It opens the stream with a token of your session, sends the messages you write, and
shows the messages it gets. It needs no key. It counts as one of the connections of your plan, and closes when the page is hidden for a
minute.

Open a WebSocket at \`/v1\`, with \`Authorization: Bearer <key>\` where you can set headers. A browser cannot: it opens the connection
without the header, and sends a token from [\`POST /v1/stream-tokens\`](rest.md#post-v1stream-tokens) in an \`auth\` message within 5
seconds. Every message is one JSON object in a text frame, with its kind in \`t\`. Clients ignore unknown fields and kinds.

<!-- Made by \`npm run docs\`; do not edit. -->`;

export function streamPage(): string {
  const document = JSON.parse(asyncapiText()) as AsyncapiDocument;
  const { stream } = document.channels;
  return `${[
    INTRO,
    '## What a client sends',
    ...messagesOf(document, 'receive'),
    '## What the service sends',
    ...messagesOf(document, 'send'),
    '## How a connection ends',
    'The close code gives the cause, its reason more detail.',
    closeTable(stream['x-close-codes']),
    '## Errors of a subscription',
    'They come as `error`, and end one subscription at most.',
    errorTable(stream['x-error-codes']),
    '## Limits',
    table(
      ['limit', 'value'],
      Object.entries(stream['x-limits']).map(([name, value]) => [code(name), number(value)]),
      [1],
    ),
  ].join('\n\n')}\n`;
}

function messagesOf(
  { operations, components }: AsyncapiDocument,
  action: Operation['action'],
): readonly string[] {
  const nameOf = ({ $ref }: Ref) => $ref.split('/').at(-1)!;
  return Object.values(operations)
    .filter((operation) => operation.action === action)
    .flatMap(({ messages, reply }) =>
      messages.map((ref) => {
        const replies = reply?.messages.map((one) => `[\`${nameOf(one)}\`](#${nameOf(one)})`);
        const message = components.messages[nameOf(ref)]!;
        const payload = wholeSchema(message.payload, components.schemas);
        return messageText({ ...message, payload }, replies ?? []);
      }),
    );
}

function messageText(
  { name, summary, payload, examples }: Message,
  replies: readonly string[],
): string {
  return [
    `### ${name}`,
    summary,
    ...(replies.length === 0 ? [] : [`The service replies with ${replies.join(', ')}.`]),
    fieldTable(payload),
    ...examples.map(({ payload: example }) => jsonBlock(example)),
  ].join('\n\n');
}

function closeTable(codes: AsyncapiDocument['channels']['stream']['x-close-codes']): string {
  const rows = codes.map(({ code: number, reason, meaning }) => [
    String(number),
    reason === null ? '' : code(reason),
    meaning,
  ]);
  return table(['code', 'reason', 'meaning'], rows);
}

function errorTable(codes: AsyncapiDocument['channels']['stream']['x-error-codes']): string {
  const rows = codes.map(({ code: name, title, retryable }) => [
    `[\`${name}\`](../errors.md#${errorAnchor(name)})`,
    title,
    retryable ? 'yes' : 'no',
  ]);
  return table(['code', 'meaning', 'a retry may succeed'], rows);
}
