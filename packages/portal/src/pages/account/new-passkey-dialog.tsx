/** Creates a passkey in the browser and adds it. The first one needs a fresh sign-in before. */

import { keyNameFault } from '@tapeloom/core/entitlement/key-rights';
import { useState } from 'preact/hooks';
import { makePasskey } from '../../api/passkey-device.ts';
import { portalApi } from '../../api/portal-api.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { typedFault } from '../../components/typed-fault.ts';
import { keepPath } from '../../shell/kept-path.ts';

export function NewPasskeyDialog(props: {
  /** The suggested name. */
  readonly name: string;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(props.name);
  const add = useAction(async () => {
    const credential = await makePasskey(await portalApi.beginPasskey());
    await portalApi.addPasskey(name.trim(), credential);
    props.onAdded();
  });
  const [tried, setTried] = useState<string | null>(null);
  const fault = keyNameFault(name.trim());
  const submit = () => {
    setTried(name);
    // Checks the name first: otherwise the browser would create a passkey that is never added.
    if (name.trim() !== '' && fault === null) void add.run();
  };
  return (
    <Dialog
      title="Add a passkey"
      text="Your browser asks where to store it: on this device, in a password manager, on a phone or on a security key."
      onClose={props.onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isOff={name.trim() === ''}
            busy={add.isBusy && 'Waiting for your browser'}
          >
            Add passkey
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        hint="A name that you recognise, up to 64 characters."
        autocomplete="off"
        autofocus
        maxLength={64}
        value={name}
        onInput={setName}
        error={name === tried ? typedFault(name, fault) : null}
      />
      <ErrorNotice title="No passkey was added." error={add.error} />
    </Dialog>
  );
}

/** An old session may have fallen into other hands. */
export function SignInAgainDialog(props: { readonly email: string; readonly onClose: () => void }) {
  const [isSent, setIsSent] = useState(false);
  const send = useAction(async () => {
    await portalApi.askForLink(props.email);
    keepPath('/account', Date.now());
    setIsSent(true);
  });
  return (
    <Dialog
      title="Sign in again first"
      text="You can add the first passkey only within 15 minutes of signing in, so that nobody else at your browser can add one."
      onClose={props.onClose}
      foot={
        <>
          <Button onClick={props.onClose}>{isSent ? 'Close' : 'Cancel'}</Button>
          {!isSent && (
            <ActionButton kind="primary" action={send} busy="Sending" isAutoFocused>
              Send me a link
            </ActionButton>
          )}
        </>
      }
    >
      {isSent && (
        <Notice
          kind="info"
          isNews
          title={
            <>
              Check the mail of <bdi>{props.email}</bdi>.
            </>
          }
        >
          Open the link in this browser. It leads back to this page.
        </Notice>
      )}
      <ErrorNotice title="The link was not sent." error={send.error} />
    </Dialog>
  );
}
