/**
 * The AsyncAPI document of the stream, made from the schemas that check client messages and, in tests, every server
 * message. Equal schemas give an equal document. The server's schemas are closed in our tests and open to customers:
 * fields and words may be added within this version. The version of AsyncAPI is the newest that generators read.
 */

import { CLIENT_MESSAGE_SCHEMAS, type ClientMessage } from '@tapeloom/protocol/client-messages';
import { CLOSE_MEANINGS } from '@tapeloom/protocol/close-codes';
import { ERROR_CODES } from '@tapeloom/protocol/error-codes';
import { SERVER_MESSAGE_SCHEMAS } from '@tapeloom/protocol/server-message-schemas';
import { type ServerMessage, STREAM_ERROR_CODES } from '@tapeloom/protocol/server-messages';
import { STREAM_LIMITS } from '@tapeloom/protocol/stream-limits';
import { IndicatorData, IndicatorId } from './indicator-schemas.ts';
import { NamedSchemas } from './named-schemas.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './stream-examples.ts';

/** The origin of a service without a configured one. */
const ORIGIN_DEFAULT = 'http://127.0.0.1:8080';

type ClientKind = ClientMessage['t'];
type ServerKind = ServerMessage['t'];

const CLIENT_SUMMARIES: Readonly<Record<ClientKind, string>> = {
  auth: 'The first message of a connection that was opened without an `Authorization` header. It gets no reply.',
  subscribe: 'Starts a subscription under a name that the client chooses.',
  unsubscribe: 'Ends a subscription. No message of it follows, and its name is free again.',
  ping: 'Requests a `pong`. A client that has nothing else to send shows with it that it is still there.',
};

const SERVER_SUMMARIES: Readonly<Record<ServerKind, string>> = {
  subscribed: 'A subscription begins, or continues after a resume or a reset.',
  status: 'The state of a stream, sent at its beginning and once at each change.',
  snapshot:
    'The state from which the client starts. It replaces all objects that the client has of this subscription.',
  upsert: 'An object is created or entirely replaced.',
  remove: 'An object is deleted. A client that does not know the object ignores the message.',
  reset:
    'The objects that the client has of this subscription are no longer valid. A snapshot follows.',
  error:
    'The service did not understand a message, rejected a subscription or ended it. Other subscriptions continue.',
  hb: 'Sent every 5 s: for each subscription, the cursor up to which the client has every update.',
  pong: 'The reply to a `ping`.',
  notice:
    'An announcement: `reconnect` before a restart, `roll` before an alias rolls, `deprecation` of an ' +
    'indicator that will be removed.',
};

/** The possible replies to a message, in AsyncAPI's sense of request and reply. */
const REPLIES: Readonly<Partial<Record<ClientKind, readonly ServerKind[]>>> = {
  subscribe: ['subscribed', 'reset', 'error'],
  ping: ['pong'],
};

const clientKinds = Object.keys(CLIENT_MESSAGE_SCHEMAS) as ClientKind[];
const serverKinds = Object.keys(SERVER_MESSAGE_SCHEMAS) as ServerKind[];

/** `origin`: the public origin of the service; null: not known yet, and readers fill it in. */
export function asyncapiDocument(version: string, origin: string | null): object {
  const schemas = new NamedSchemas('draft-07', [
    IndicatorData,
    IndicatorId('The id of the indicator in the catalogue, GET /v1/indicators.'),
  ]);
  const messages = Object.fromEntries([
    ...clientKinds.map((t) => [t, clientMessage(t, schemas)]),
    ...serverKinds.map((t) => [t, serverMessage(t, schemas)]),
  ]);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tapeloom stream',
      version,
      description:
        'Order-flow indicators from the trades of futures contracts, while they form. Every message is a ' +
        'text frame with one JSON object, its kind in `t`. Clients ignore fields and kinds that they do ' +
        'not know.',
      contact: { name: 'Documentation', url: `${origin ?? ORIGIN_DEFAULT}/docs` },
      license: { name: 'Apache-2.0' },
      tags: [{ name: 'Stream', description: 'Results while they form.' }],
    },
    defaultContentType: 'application/json',
    servers: origin === null ? { plain: server('ws'), tls: server('wss') } : serverAt(origin),
    channels: { stream: channel() },
    operations: operations(),
    components: {
      messages,
      schemas: schemas.all(),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key with the scope `stream`: `Authorization: Bearer <key>` in the request that opens the ' +
            'WebSocket. A client that cannot set headers, such as a browser, opens the connection without the ' +
            'header. It sends a token from `POST /v1/stream-tokens` in an `auth` message within 5 s.',
        },
      },
    },
  };
}

function server(protocol: 'ws' | 'wss'): object {
  return {
    host: '{host}',
    protocol,
    variables: {
      host: { default: '127.0.0.1:8080', description: 'The host of the service, with its port.' },
    },
    security: [{ $ref: '#/components/securitySchemes/key' }],
  };
}

function serverAt(origin: string): object {
  const { host, protocol } = new URL(origin);
  const security = [{ $ref: '#/components/securitySchemes/key' }];
  return protocol === 'https:'
    ? { tls: { host, protocol: 'wss', security } }
    : { plain: { host, protocol: 'ws', security } };
}

function channel(): object {
  return {
    address: '/v1',
    title: 'The stream',
    messages: Object.fromEntries(
      [...clientKinds, ...serverKinds].map((t) => [t, { $ref: `#/components/messages/${t}` }]),
    ),
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    'x-close-codes': CLOSE_MEANINGS,
    'x-limits': STREAM_LIMITS,
    'x-error-codes': STREAM_ERROR_CODES.map((code) => {
      const { title, retryable } = ERROR_CODES[code];
      return { code, title, retryable };
    }),
  };
}

/** Seen from the service, as AsyncAPI defines it: it receives the clients' messages. */
function operations(): object {
  return Object.fromEntries([
    ...clientKinds.map((t) => {
      const reply = REPLIES[t];
      const replies =
        reply === undefined ? {} : { reply: { channel: stream, messages: refs(reply) } };
      const description = CLIENT_SUMMARIES[t];
      return [
        t,
        { action: 'receive', description, channel: stream, messages: refs([t]), ...replies },
      ];
    }),
    [
      'publish',
      {
        action: 'send',
        description: 'The messages of the service to a connection and its subscriptions.',
        channel: stream,
        messages: refs(serverKinds),
      },
    ],
  ]);
}

const stream = { $ref: '#/channels/stream' };

function refs(kinds: readonly (ClientKind | ServerKind)[]): object[] {
  return kinds.map((t) => ({ $ref: `#/channels/stream/messages/${t}` }));
}

function clientMessage(t: ClientKind, schemas: NamedSchemas): object {
  return {
    name: t,
    summary: CLIENT_SUMMARIES[t],
    payload: schemas.taken(CLIENT_MESSAGE_SCHEMAS[t], t),
    examples: CLIENT_EXAMPLES[t].map((payload) => ({ payload })),
  };
}

function serverMessage(t: ServerKind, schemas: NamedSchemas): object {
  return {
    name: t,
    summary: SERVER_SUMMARIES[t],
    payload: schemas.sent(SERVER_MESSAGE_SCHEMAS[t], t),
    examples: SERVER_EXAMPLES[t].map((payload) => ({ payload })),
  };
}
