/** Recovery from lost passkeys by a mailed link: requesting their removal a day later, and cancelling it. */

import { useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, ButtonLink } from '../../components/button.tsx';
import { Time } from '../../components/time.tsx';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export function BeginRecovery(props: { readonly token: string }) {
  const [dueAt, setDueAt] = useState<string | null>(null);
  const begin = useAction(async () => {
    const recovery = await portalApi.beginRecovery(props.token);
    setDueAt(recovery.dueAt);
  });
  if (dueAt !== null) {
    return (
      <SignInFrame
        title="Your passkeys will be removed"
        text={
          <>
            On <Time at={dueAt} form="both" />. We sent you a mail with a link that stops this.
            After that time, sign in with a link and add a new passkey.
          </>
        }
      >
        <ButtonLink kind="ghost" href="/">
          Close
        </ButtonLink>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Are your passkeys lost?"
      text="All passkeys of your account are removed 24 hours from now. Until then they work, and you can stop the removal with a link that we send to your address."
    >
      <SignInError title="Nothing was changed." error={begin.error} />
      <ActionButton kind="danger" size="lg" isBlock action={begin} busy="Asking">
        Remove them in 24 hours
      </ActionButton>
      <p class="small faint">If you did not request this, close the page; nothing happens.</p>
    </SignInFrame>
  );
}

export function StopRecovery(props: { readonly token: string }) {
  const [isStopped, setIsStopped] = useState(false);
  const stop = useAction(async () => {
    await portalApi.stopRecoveryByLink(props.token);
    setIsStopped(true);
  });
  if (isStopped) {
    return (
      <SignInFrame
        title="Your passkeys stay"
        text="If you did not request their removal, somebody can read your mail. Secure your mailbox now, then sign in and sign out everywhere else."
      >
        <ButtonLink kind="primary" size="lg" isBlock href="/account">
          Account
        </ButtonLink>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Keep your passkeys?"
      text="The removal of your passkeys is stopped, and they keep working."
    >
      <SignInError title="Nothing was changed." error={stop.error} />
      <ActionButton kind="primary" size="lg" isBlock action={stop} busy="Stopping">
        Keep my passkeys
      </ActionButton>
    </SignInFrame>
  );
}
