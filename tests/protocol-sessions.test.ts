import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CLIENT_MESSAGE_SCHEMAS } from '@tapeloom/protocol/client-messages';
import { type AfterClose, CLOSE_MEANINGS } from '@tapeloom/protocol/close-codes';
import { SERVER_MESSAGE_SCHEMAS } from '@tapeloom/protocol/server-message-schemas';
import {
  NOTICE_KINDS,
  RESET_REASONS,
  STREAM_ERROR_CODES,
} from '@tapeloom/protocol/server-messages';
import { STREAM_STATES } from '@tapeloom/protocol/status-states';
import { maskedBy, sessionsOf } from './protocol-sessions.ts';
import { play } from './protocol-sessions-stage.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/protocol.md'), 'utf8');

const sessions = sessionsOf(page);
const AFTER: Readonly<Record<AfterClose, string>> = {
  stop: 'stop',
  'at-once': 'at once',
  later: 'later',
  slowly: 'slowly',
};

for (const session of sessions) {
  test(`docs/protocol.md, ${session.name}: the server answers as the page says [WS-03]`, () =>
    play(session));
}

test('the page names every message, field, state, reason, kind, error and close code', () => {
  const schemas = { ...CLIENT_MESSAGE_SCHEMAS, ...SERVER_MESSAGE_SCHEMAS };
  const fields = Object.values(schemas).flatMap(({ properties }) => Object.keys(properties));
  const words = [...RESET_REASONS, ...NOTICE_KINDS, ...STREAM_ERROR_CODES, ...STREAM_STATES];
  for (const word of new Set([...Object.keys(schemas), ...words])) {
    assert.ok(page.includes(`\`${word}\``), word);
  }
  for (const field of new Set(fields)) {
    assert.ok(page.includes(`\`${field}\``) || page.includes(`"${field}"`), field);
  }
  for (const { code, reason, afterwards } of CLOSE_MEANINGS) {
    const shown = reason === null ? '' : `\`${reason}\` `;
    const row = page.split('\n').find((line) => line.startsWith(`| \`${code}\` | ${shown}|`));
    assert.ok(row?.split('|').at(-2)?.trim().startsWith(AFTER[afterwards]), `${code} ${reason}`);
  }
});

test('the example sessions show every message of the protocol', () => {
  const shown = sessions.flatMap(({ lines }) =>
    lines.flatMap((line) => ('text' in line ? (/"t":"(\w+)"/.exec(line.text)?.[1] ?? []) : [])),
  );
  const kinds = Object.keys({ ...CLIENT_MESSAGE_SCHEMAS, ...SERVER_MESSAGE_SCHEMAS });
  assert.deepEqual([...new Set(shown)].sort(), kinds.sort());
});

test('a message matches a line that leaves values open, and none that lacks or adds a field', () => {
  const expected = { t: 'a', ts: '…', items: [{ id: '…', n: 1 }] };
  const says = (message: object) =>
    JSON.stringify(maskedBy(expected, message)) === JSON.stringify(expected);
  assert.ok(says({ t: 'a', ts: '7', items: [{ id: 'x', n: 1 }] }));
  assert.ok(!says({ t: 'a', ts: '7', items: [{ id: 'x', n: 2 }] }));
  assert.ok(!says({ t: 'a', ts: '7', items: [{ id: 'x', n: 1, m: 1 }] }));
  assert.ok(!says({ t: 'a', items: [{ id: 'x', n: 1 }] }));
  assert.ok(!says({ t: 'a', ts: '7', items: [{ id: 'x', n: 1 }, {}] }));
  assert.ok(says({ items: [{ n: 1, id: 'x' }], ts: '7', t: 'a' }));
});

test('a page without a mark at the beginning of a line is refused', () => {
  assert.throws(() => sessionsOf('## A\n\n```session\nhello\n```\n'));
});
