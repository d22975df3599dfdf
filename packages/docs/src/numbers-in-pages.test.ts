import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT_CODE_MEANINGS } from '@tapeloom/cli/exit-codes';
import { DEFAULT_LIMITS } from '@tapeloom/cli/mcp/spending';
import { CLOSE_MEANINGS } from '@tapeloom/protocol/close-codes';
import { STREAM_LIMITS } from '@tapeloom/protocol/stream-limits';
import { FAILURES_PER_MINUTE } from '@tapeloom/server/accounts/auth/address-throttle';
import { CONNECTS_PER_MINUTE } from '@tapeloom/server/accounts/auth/auth-throttle';
import { VALID_KEYS_MAX } from '@tapeloom/server/accounts/keys/keys-store';
import { DELETION_GRACE_NS, SESSIONS_MAX } from '@tapeloom/server/accounts/people/people-store';
import { LIMIT_DEFAULT, LIMIT_MAX } from '@tapeloom/server/history/history-fields';
import { PAGE_BYTES_MAX, PAGE_LIMITS } from '@tapeloom/server/history/history-pages';
import { SESSIONS_MAX as TRADING_SESSIONS_MAX } from '@tapeloom/server/http/routes/sessions-route';
import { BODY_BYTES_MAX } from '@tapeloom/server/http/server/http-server';
import { STRANGERS_PER_ADDRESS_MAX } from '@tapeloom/server/platform/network/door-sockets';
import { TOPICS_MAX } from '@tapeloom/server/topics/topic-places';
import { count, size, span, spanOfNs } from './limits/limit-words.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** A constant that its file does not export. */
function constantIn(path: string, name: string): number {
  const found = new RegExp(`^(?:export )?const ${name} = ([\\d_]+);`, 'm').exec(textOf(path))?.[1];
  assert.ok(found !== undefined, `${path} has no ${name}`);
  return Number(found.replaceAll('_', ''));
}

const connection = 'packages/client/src/stream/connection.ts';
const backoff = 'packages/client/src/backoff.ts';
const tools = 'packages/cli/src/mcp/history-tools.ts';
const seconds = (ms: number) => `${ms / 1_000} s`;
const { messageBytesMax, fragmentsMax, authWithinMs, silenceMsMax, waitingBytesMax } =
  STREAM_LIMITS;

/** Sentences of the pages outside the generated tables, with the numbers in force. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  'docs/history.md': [
    `1 to ${count(LIMIT_MAX)}, default ${count(LIMIT_DEFAULT)}`,
    `\`footprint\` has at most ${count(PAGE_LIMITS.itemsOf.footprint!)}, and none more than ${size(PAGE_BYTES_MAX)}`,
    `it ends after ${PAGE_LIMITS.trades / 1_000_000} million trades`,
    `At most ${TRADING_SESSIONS_MAX} come in one response`,
  ],
  'docs/protocol.md': [
    `A message over ${size(messageBytesMax)}, its fragments together`,
    `more than ${count(fragmentsMax)} fragments in a message`,
    `no \`auth\` within ${span(authWithinMs)}`,
    `You were silent for ${span(silenceMsMax)}`,
    `${size(waitingBytesMax)} of output was pending`,
    `more than ${CONNECTS_PER_MINUTE} times a minute for each connection`,
    `one address has ${STRANGERS_PER_ADDRESS_MAX} connections without a key`,
    ...CLOSE_MEANINGS.map(
      ({ code, reason }) => `| \`${code}\` | ${reason === null ? '' : `\`${reason}\` `}|`,
    ),
  ],
  'docs/errors.md': [
    `larger than ${count(BODY_BYTES_MAX)} bytes`,
    `has ${VALID_KEYS_MAX} valid keys already`,
  ],
  'docs/cli.md': EXIT_CODE_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning} |`),
  'docs/mcp.md': [
    `may cost | ${count(DEFAULT_LIMITS.perCall)} |`,
    `until the assistant restarts the command | ${count(DEFAULT_LIMITS.total)} |`,
    `gives ${constantIn(tools, 'ROWS_DEFAULT')} results unless`,
    `(${count(constantIn(tools, 'ROWS_MAX'))} at most), and no more than about ${count(constantIn(tools, 'CHARACTERS_MAX'))} characters`,
  ],
  'docs/operating.md': [
    `half, and ${STRANGERS_PER_ADDRESS_MAX} of one address`,
    `${count(TOPICS_MAX)} in all`,
    `${FAILURES_PER_MINUTE} at once and then one every`,
    `${SESSIONS_MAX} browsers at most`,
    `deleted ${spanOfNs(DELETION_GRACE_NS)} later`,
  ],
  'packages/client/README.md': [
    `${constantIn(connection, 'SILENCE_MS_MAX') / 1_000} seconds of silence`,
    `after ${constantIn(backoff, 'FIRST_DELAY_MS')} ms, with backoff up to ${seconds(constantIn(backoff, 'DELAY_MS_MAX'))}`,
    `tries every ${seconds(constantIn(connection, 'REFUSED_APART_MS'))} or more`,
    `\`queueMax\` (${count(constantIn('packages/client/src/stream/stream-client.ts', 'QUEUE_MAX'))})`,
  ],
};

for (const [page, sentences] of Object.entries(SAID)) {
  test(`numbers of ${page} are those of the code`, () => {
    const text = textOf(page).replace(/\s+/g, ' ');
    for (const sentence of sentences) assert.ok(text.includes(sentence), sentence);
  });
}

test('nobody counts the indicators by hand, in pages, help, mails, the contract or the portal: the next one would make it wrong', () => {
  const places = ['*.md', '{contract,docs,deploy}/**/*.md', '{packages,examples}/**/*.{md,html}'];
  const sources = [
    'packages/*/src/**/*.{ts,tsx}',
    'contract/{openapi,asyncapi}.json',
    'deploy/**/*.yaml',
  ];
  const past = /^(?:CHANGELOG\.md$|docs\/decisions\/)|\.test\.ts$|\/node_modules\/|\/dist\//;
  const texts = globSync([...places, ...sources], { cwd: root }).filter((it) => !past.test(it));
  assert.ok(texts.length > 200, String(texts.length));
  const words =
    'ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty';
  const counted = new RegExp(
    `\\b(?:${words}|\\d{2,})(?: [\\w-]+){0,2} (?:indicators|studies)\\b`,
    'i',
  );
  assert.match('All fourteen indicators', counted);
  assert.match('14 more indicators', counted);
  assert.match('fourteen order-flow indicators', counted);
  for (const path of texts) assert.doesNotMatch(textOf(path), counted, path);
});
