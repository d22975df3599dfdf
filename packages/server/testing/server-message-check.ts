/** Checks every message that a test receives from a server; throws if it does not match its kind's closed schema. */

import { SERVER_MESSAGE_SCHEMAS } from '@tapeloom/protocol/server-message-schemas';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { Compile } from 'typebox/schema';

const SCHEMAS = new Map(
  Object.entries(SERVER_MESSAGE_SCHEMAS).map(([t, schema]) => [t, Compile(schema as object)]),
);
const SHOWN_CHARACTERS = 500;

export function checkedMessage(text: string): ServerMessage {
  const message: ServerMessage = JSON.parse(text);
  const schema = SCHEMAS.get(message.t);
  if (schema?.Check(message) === true) return message;
  const faults = JSON.stringify(schema?.Errors(message)[1].map((fault) => fault.instancePath));
  throw new Error(`not a message of a server: ${text.slice(0, SHOWN_CHARACTERS)} (${faults})`);
}
