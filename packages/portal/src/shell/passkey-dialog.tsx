/** Asks for a passkey before an act that is reserved for the account's owner. The shell has one. */

import { useEffect, useState } from 'preact/hooks';
import { signWithPasskey } from '../api/passkey-device.ts';
import { onPasskeyRequest, type PasskeyRequest } from '../api/passkey-request.ts';
import { portalApi } from '../api/portal-api.ts';
import { PortalError } from '../api/portal-error.ts';
import type { PasskeyAct } from '../api/portal-shapes.ts';
import { useAction } from '../api/use-action.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { ActionButton, Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/notice.tsx';

const WHAT: Readonly<Record<PasskeyAct, string>> = {
  'add-passkey': 'add another passkey',
  'remove-passkey': 'remove a passkey',
  'second-factor': 'change how you sign in',
  email: 'change the e-mail address',
  deletion: 'delete the account',
  key: 'create a key',
};

export function PasskeyDialog() {
  const [request, setRequest] = useState<PasskeyRequest | null>(null);
  useEffect(() => onPasskeyRequest(setRequest), []);
  if (request === null) return null;
  return <Asking request={request} onDone={() => setRequest(null)} />;
}

function Asking(props: { readonly request: PasskeyRequest; readonly onDone: () => void }) {
  const { act, onSigned, onRefused } = props.request;
  // Fetched in advance: some browsers sign only during a click.
  const options = useLoaded((signal) => portalApi.askForPasskey(act, { signal }));
  const sign = useAction(async () => {
    try {
      const assertion = await signWithPasskey(options.value!);
      props.onDone();
      onSigned(assertion);
    } catch (error) {
      // A challenge is valid for one attempt.
      options.reload();
      throw error;
    }
  });
  const cancel = () => {
    props.onDone();
    onRefused(new PortalError('FORBIDDEN', 'This was not confirmed with a passkey.'));
  };
  const error = sign.error ?? options.error;
  return (
    <Dialog
      title="Confirm with a passkey"
      text={`To ${WHAT[act]}, confirm with one of the passkeys of this account.`}
      onClose={cancel}
      foot={
        <>
          <Button
            kind="ghost"
            class="left"
            onClick={() => {
              cancel();
              location.assign('/account#passkeys');
            }}
          >
            Lost your passkeys?
          </Button>
          <Button onClick={cancel}>Cancel</Button>
          <ActionButton
            kind="primary"
            action={sign}
            busy="Waiting for your passkey"
            isOff={options.value === null}
            isAutoFocused
          >
            Use a passkey
          </ActionButton>
        </>
      }
    >
      {error === null ? undefined : <ErrorNotice title="Nothing was confirmed." error={error} />}
    </Dialog>
  );
}
