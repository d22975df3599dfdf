/**
 * Handles an opened link. Its effect is looked up without consuming the link, and only a click performs it: mail
 * scanners open links too, and no person should be signed in to an unexpected account.
 */

import { useState } from 'preact/hooks';
import { signWithPasskey } from '../../api/passkey-device.ts';
import { portalApi } from '../../api/portal-api.ts';
import type { PortalError } from '../../api/portal-error.ts';
import type { LinkView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ActionButton, Button, ButtonLink } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { isNamed } from '../../shell/account-name.ts';
import { AddressForm } from './address-form.tsx';
import { BeginRecovery, StopRecovery } from './recovery-views.tsx';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

interface LinkActions {
  readonly token: string;
  readonly onSignedIn: () => void;
  readonly onClaimed: (email: string) => void;
  readonly onNew: () => void;
}

export function LinkOpened(props: LinkActions) {
  const { token } = props;
  const link = useLoaded((signal) => portalApi.lookAtLink(token, { signal }), token);
  if (link.error !== null) {
    if (isDead(link.error)) return <DeadLink onNew={props.onNew} />;
    return (
      <SignInFrame title="The link could not be checked" text={link.error.message}>
        <Button kind="primary" onClick={link.reload}>
          Try again
        </Button>
      </SignInFrame>
    );
  }
  if (link.value === null) return <SignInFrame title="Sign in" text="Checking your link." />;
  switch (link.value.purpose) {
    case 'sign-in':
      return <SignInAs {...props} link={link.value} />;
    case 'email-change':
      return <ConfirmAddress {...props} link={link.value} />;
    case 'email-approval':
      return <ApproveAddress {...props} link={link.value} />;
    case 'deletion':
      return <ConfirmDeletion {...props} />;
    case 'recovery':
      return <BeginRecovery token={token} />;
    case 'recovery-stop':
      return <StopRecovery token={token} />;
    case 'claim':
      return <Claim {...props} link={link.value} />;
    default:
      return link.value.purpose satisfies never;
  }
}

function isDead(error: PortalError): boolean {
  return error.status === 401 || error.status === 400;
}

/** A signed-in visitor needs no new link: usually the same mail was opened twice. */
function DeadLink(props: { readonly onNew: () => void }) {
  const account = useLoaded((signal) => portalApi.account({ signal }));
  if (account.isLoading) return <SignInFrame title="Sign in" text="Checking your link." />;
  if (account.value !== null) {
    return (
      <SignInFrame
        title="You are signed in"
        text={
          <>
            As <bdi class="strong">{account.value.email}</bdi>. This link was used or is older than
            15 minutes. If it was to confirm a change, request a new one under Account.
          </>
        }
      >
        <ButtonLink kind="primary" size="lg" isBlock href="/dashboard">
          Go to the overview
        </ButtonLink>
        <ButtonLink kind="ghost" href="/account">
          Account
        </ButtonLink>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="This link no longer works"
      text="This link was used or is older than 15 minutes."
    >
      <Button kind="primary" size="lg" isBlock onClick={props.onNew}>
        Send a new one
      </Button>
    </SignInFrame>
  );
}

function SignInAs(props: LinkActions & { readonly link: LinkView }) {
  const { email, account, needsPasskey } = props.link;
  const [isLost, setIsLost] = useState(false);
  const signIn = useAction(async () => {
    const passkey = needsPasskey
      ? await signWithPasskey(await portalApi.askForPasskeySignIn())
      : undefined;
    await portalApi.signIn(props.token, passkey);
    props.onSignedIn();
  });
  if (isLost) return <BeginRecovery token={props.token} />;
  // With a passkey, a 401 may concern the link or the passkey.
  const isOver = signIn.error !== null && !needsPasskey && isDead(signIn.error);
  if (isOver) return <DeadLink onNew={props.onNew} />;
  return (
    <SignInFrame
      title="Sign in"
      heading={
        <>
          Sign in as <bdi>{email}</bdi>?
        </>
      }
      text={
        account === null ? (
          'There is no account with this address yet. Signing in creates one, with the free sandbox.'
        ) : isNamed(account) ? (
          <>
            This opens the account <bdi class="strong">{account}</bdi>.
          </>
        ) : (
          'This opens the account of that address.'
        )
      }
    >
      <SignInError title="You are not signed in." error={signIn.error} />
      <ActionButton kind="primary" size="lg" isBlock action={signIn} busy="Signing in">
        {needsPasskey ? 'Sign in with a passkey' : 'Sign in'}
      </ActionButton>
      {needsPasskey && (
        <Button kind="ghost" onClick={() => setIsLost(true)}>
          My passkeys are lost
        </Button>
      )}
      <p class="small faint">If you did not request this, close the page; nothing happens.</p>
    </SignInFrame>
  );
}

function ConfirmAddress(props: LinkActions & { readonly link: LinkView }) {
  const [changedTo, setChangedTo] = useState<string | null>(null);
  const confirm = useAction(async () => {
    const { email } = await portalApi.confirmEmail(props.token);
    setChangedTo(email);
  });
  if (changedTo !== null) {
    return (
      <SignInFrame
        title="Your address has changed"
        text={
          <>
            Sign-in links and receipts now go to <bdi class="strong">{changedTo}</bdi>. Both
            addresses get an e-mail about it.
          </>
        }
      >
        <ToAccount />
      </SignInFrame>
    );
  }
  if (confirm.error?.status === 401) return <SignInFirst onNew={props.onNew} />;
  return (
    <SignInFrame
      title="Change your address"
      heading={
        <>
          Change your address to <bdi>{props.link.email}</bdi>?
        </>
      }
      text={
        <>
          From then on, sign-in links{' '}
          {props.link.account !== null && isNamed(props.link.account) && (
            <>
              for the account <bdi class="strong">{props.link.account}</bdi>{' '}
            </>
          )}
          go there, and no longer to the old one.
        </>
      }
    >
      <ErrorNotice title="The address was not changed." error={confirm.error} />
      <ActionButton kind="primary" size="lg" isBlock action={confirm} busy="Changing">
        Change address
      </ActionButton>
    </SignInFrame>
  );
}

/** The link works only in its account's session. With a session, it was used or belongs to another account. */
function SignInFirst(props: { readonly onNew: () => void }) {
  const account = useLoaded((signal) => portalApi.account({ signal }));
  if (account.isLoading) return <SignInFrame title="Sign in first" text="Checking your link." />;
  if (account.value !== null) {
    return (
      <SignInFrame
        title="This link does not work here"
        text={
          <>
            You are signed in as <bdi class="strong">{account.value.email}</bdi>. The link was used
            meanwhile, or belongs to another account. Request a new one under Account.
          </>
        }
      >
        <ButtonLink kind="primary" size="lg" isBlock href="/account">
          Account
        </ButtonLink>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Sign in first"
      text="This link works in a browser that is signed in to its account. Sign in with the present address of the account, then open the link again within its 15 minutes."
    >
      <Button kind="primary" size="lg" isBlock onClick={props.onNew}>
        Sign in
      </Button>
    </SignInFrame>
  );
}

function ApproveAddress(props: LinkActions & { readonly link: LinkView }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const approve = useAction(async () => {
    const { email } = await portalApi.approveEmail(props.token);
    setSentTo(email);
  });
  if (approve.error?.status === 401) return <SignInFirst onNew={props.onNew} />;
  if (sentTo !== null) {
    return (
      <SignInFrame
        title="Check your mail"
        text={
          <>
            We wrote to <bdi class="strong">{sentTo}</bdi>. Open the link there in this browser
            within 15 minutes. Until then nothing changes.
          </>
        }
      >
        <ToAccount />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Approve the new address"
      heading={
        <>
          Change your address to <bdi>{props.link.newEmail}</bdi>?
        </>
      }
      text="If you approve it, we send a link there. The address changes when that link is opened."
    >
      <ErrorNotice title="The address was not changed." error={approve.error} />
      <ActionButton kind="primary" size="lg" isBlock action={approve} busy="Approving">
        Approve
      </ActionButton>
      <p class="small faint">
        If you did not request this, close the page; nothing changes. Then sign out everywhere else
        under Account.
      </p>
    </SignInFrame>
  );
}

/** Loads a new document, so that every page shows the change. */
function ToAccount() {
  return (
    <Button kind="primary" size="lg" isBlock onClick={() => location.replace('/account')}>
      Account
    </Button>
  );
}

function ConfirmDeletion(props: LinkActions) {
  const [dueAt, setDueAt] = useState<string | null>(null);
  const confirm = useAction(async () => {
    const deletion = await portalApi.confirmDeletion(props.token);
    setDueAt(deletion.dueAt);
  });
  if (dueAt !== null) {
    return (
      <SignInFrame
        title="Your account will be deleted"
        text={
          <>
            On <Time at={dueAt} form="both" />. Until then everything works, nothing more is
            charged, and you can stop the deletion under Account.
          </>
        }
      >
        <ToAccount />
      </SignInFrame>
    );
  }
  if (confirm.error?.status === 401) return <SignInFirst onNew={props.onNew} />;
  return (
    <SignInFrame
      title="Delete your account?"
      text="Nothing renews from now on. In 14 days your keys are revoked, open connections close, and your address is removed. Until then you can stop the deletion under Account."
    >
      <ErrorNotice title="The account was not changed." error={confirm.error} />
      <ActionButton kind="danger" size="lg" isBlock action={confirm} busy="Confirming">
        Delete account
      </ActionButton>
      <p class="small faint">If you did not request this, close the page; nothing happens.</p>
    </SignInFrame>
  );
}

function Claim(props: LinkActions & { readonly link: LinkView }) {
  return (
    <SignInFrame
      title="Own this account"
      hasField
      heading={
        <>
          Own the account <bdi>{props.link.account}</bdi>?
        </>
      }
      text="The operator of this service created it, and it has no owner yet. The person who confirms an address becomes the owner."
    >
      <AddressForm
        button="Send a link"
        hint="We send a link there. Using it makes you the owner."
        onSend={async (email) => {
          await portalApi.claim(props.token, email);
          props.onClaimed(email);
        }}
      />
    </SignInFrame>
  );
}
