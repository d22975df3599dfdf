import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPasskeyRequest, withPasskey } from './passkey-request.ts';
import { PortalError } from './portal-error.ts';

const SIGNED = { id: 'a', clientDataJSON: 'b', authenticatorData: 'c', signature: 'd' };
const needed = () => new PortalError('FORBIDDEN', 'a passkey', { status: 403, needsPasskey: true });

/** An act of an account with a passkey; records what each attempt was made with. */
function act() {
  const attempts: unknown[] = [];
  const run = async ({ passkey }: { readonly passkey?: unknown }) => {
    attempts.push(passkey);
    if (passkey === undefined) throw needed();
    return 'done';
  };
  return { attempts, run };
}

test('an act that needs no passkey is done at once, and nobody is asked', async () => {
  using stop = new DisposableStack();
  stop.defer(onPasskeyRequest(() => assert.fail('nobody should be asked')));
  assert.equal(await withPasskey('key', async () => 'done'), 'done');
  const other = new PortalError('FORBIDDEN', 'suspended', { status: 403 });
  await assert.rejects(
    withPasskey('key', () => Promise.reject(other)),
    other,
  );
});

test('an act that needs one is done again with what the passkey signed', async () => {
  using stop = new DisposableStack();
  const asked: string[] = [];
  stop.defer(
    onPasskeyRequest((request) => {
      asked.push(request.act);
      request.onSigned(SIGNED);
    }),
  );
  const { attempts, run } = act();
  assert.equal(await withPasskey('email', run), 'done');
  assert.deepEqual([asked, attempts], [['email'], [undefined, SIGNED]]);
});

test('whoever says no has done nothing, and without a dialog the refusal stays', async () => {
  const { attempts, run } = act();
  {
    using stop = new DisposableStack();
    const no = new PortalError('FORBIDDEN', 'not confirmed');
    stop.defer(onPasskeyRequest((request) => request.onRefused(no)));
    await assert.rejects(withPasskey('deletion', run), no);
  }
  await assert.rejects(withPasskey('deletion', run), { needsPasskey: true });
  assert.deepEqual(attempts, [undefined, undefined]);
});
