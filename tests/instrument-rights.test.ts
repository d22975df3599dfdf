import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { Connection } from '@tapeloom/server/gateway/connection/connection';
import { createResolver } from '@tapeloom/server/gateway/delivery/stream-request';
import {
  RIGHT_BOOK,
  RIGHT_CASES,
  type RightCase,
} from '../packages/server/testing/accounts/right-cases.ts';

const STREAM_CASES = RIGHT_CASES.filter(({ from }) => from === null);
const resolve = createResolver({
  book: () => RIGHT_BOOK,
  isStreamed: () => true,
  epochReset: () => null,
});

/** The response of the stream endpoint to a key with these entries that requests this name. */
function answer({ entries, name, now }: RightCase): string {
  const rights = { environment: 'live', scopes: ['stream'], allowedIps: null } as const;
  const entitlements = Entitlements.of(
    { ...rights, instruments: entries, expiresAt: null },
    'live',
  );
  const caller = { accountId: 'a', keyId: 'k', isSuspended: false, entitlements };
  const connection = new Connection({ resolve, nextNumber: () => 1 });
  connection.step({ t: 'opened', authorization: 'Bearer x', address: '192.0.2.1' });
  connection.step({ t: 'judged', authentication: { verdict: 'accepted', caller } });
  connection.step({ t: 'admitted', isGranted: true });
  const text = JSON.stringify({ t: 'subscribe', sub: 's', instrument: name, indicator: 'bars' });
  const [action] = connection.step({ t: 'text', text, now, tapeTimeOf: () => now });
  if (action?.t === 'send' && action.message.t === 'error') return action.message.code;
  return action?.t === 'lease' ? 'allowed' : assert.fail(`${action?.t}`);
}

test('the stream gives every entry, name and moment the verdict of the table [INST-07] [INST-08] [INST-09]', () => {
  assert.ok(STREAM_CASES.length > 100);
  for (const each of STREAM_CASES) {
    assert.equal(answer(each), each.isAllowed ? 'allowed' : 'FORBIDDEN', each.title);
  }
});
