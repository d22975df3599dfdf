/** Passwordless sign-in: request a link, open it, confirm; or use a passkey. */

import './sign-in.css';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { hasPasskeys, signWithPasskey } from '../../api/passkey-device.ts';
import { portalApi } from '../../api/portal-api.ts';
import { useAction } from '../../api/use-action.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ActionButton, ButtonLink } from '../../components/button.tsx';
import { keepPath, takeKeptPath } from '../../shell/kept-path.ts';
import { APP_PATHS } from '../../shell/page-paths.ts';
import { isProbablySignedIn, rememberSignedIn } from '../../shell/signed-in-hint.ts';
import { ThemeSwitch } from '../../shell/theme-switch.tsx';
import { wantedPath } from '../../shell/wanted-path.ts';
import { AddressForm } from './address-form.tsx';
import { LinkOpened } from './link-opened.tsx';
import { LinkSent } from './link-sent.tsx';
import { takeLinkToken } from './link-token.ts';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

type View =
  | { readonly kind: 'link'; readonly token: string }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'sent'; readonly email: string; readonly isClaim: boolean };

export function SignInPage() {
  return (
    <div class="sign-in">
      <header class="sign-in-top">
        <a href="/" class="small muted">
          Tapeloom
        </a>
        <ThemeSwitch />
      </header>
      <main id="main" class="sign-in-main">
        <Views />
      </main>
    </div>
  );
}

function Views() {
  const { query } = useLocation();
  const [view, setView] = useState<View>(firstView);
  const goOn = useGoOn();
  useEffect(() => {
    // A link opened in this tab changes only the fragment.
    const opened = () => {
      const token = takeLinkToken();
      if (token !== null) setView({ kind: 'link', token });
    };
    addEventListener('hashchange', opened);
    return () => removeEventListener('hashchange', opened);
  }, []);
  const ask = useCallback(() => setView({ kind: 'ask' }), []);
  const signedIn = useCallback(() => setView({ kind: 'signed-in' }), []);
  const send = async (email: string) => {
    await portalApi.askForLink(email);
    keepPath(wantedPath(query.next), Date.now());
  };
  switch (view.kind) {
    case 'link':
      return (
        <LinkOpened
          key={view.token}
          token={view.token}
          onSignedIn={() =>
            goOn(query.next === undefined ? takeKeptPath(Date.now()) : wantedPath(query.next))
          }
          onClaimed={(email) => setView({ kind: 'sent', email, isClaim: true })}
          onNew={ask}
        />
      );
    case 'signed-in':
      return <AlreadySignedIn wanted={query.next} onStranger={ask} onGoOn={goOn} />;
    case 'sent':
      return (
        <LinkSent
          email={view.email}
          onAgain={view.isClaim ? null : () => send(view.email)}
          onOther={ask}
          onSignedIn={signedIn}
        />
      );
    case 'ask':
      return (
        <SignInFrame title="Sign in" heading="Sign in to Tapeloom" hasField>
          <AddressForm
            button="Send me a link"
            hint="No password. We send a link that works once, for 15 minutes."
            onSend={async (email) => {
              await send(email);
              setView({ kind: 'sent', email, isClaim: false });
            }}
          />
          {hasPasskeys() && <ByPasskey onSignedIn={() => goOn(wantedPath(query.next))} />}
          <p class="small faint">
            The first sign-in makes your account. See <a href="/terms">terms</a> and{' '}
            <a href="/privacy">privacy</a>.
          </p>
        </SignInFrame>
      );
    default:
      return view satisfies never;
  }
}

/** For visitors with a passkey; the browser lists those it has. */
function ByPasskey(props: { readonly onSignedIn: () => void }) {
  const signIn = useAction(async () => {
    const passkey = await signWithPasskey(await portalApi.askForPasskeySignIn());
    await portalApi.signInByPasskey(passkey);
    props.onSignedIn();
  });
  return (
    <>
      <p class="sign-in-or small faint">or</p>
      <ActionButton icon="key" size="lg" isBlock action={signIn} busy="Waiting for your passkey">
        Sign in with a passkey
      </ActionButton>
      <SignInError title="You are not signed in." error={signIn.error} />
    </>
  );
}

function firstView(): View {
  const token = takeLinkToken();
  if (token !== null) return { kind: 'link', token };
  return isProbablySignedIn() ? { kind: 'signed-in' } : { kind: 'ask' };
}

/** Leads to the wanted page after a sign-in. It replaces the history entry, so that Back does not return here. */
function useGoOn(): (path: string) => void {
  const { route } = useLocation();
  return useCallback(
    (path: string) => {
      rememberSignedIn();
      if (APP_PATHS.test(path)) route(path, true);
      else location.replace(path);
    },
    [route],
  );
}

/** For a signed-in visitor, who came through a link to a page or directly. */
function AlreadySignedIn(props: {
  readonly wanted: string | undefined;
  readonly onStranger: () => void;
  readonly onGoOn: (path: string) => void;
}) {
  const account = useLoaded((signal) => portalApi.account({ signal }));
  const { wanted, onGoOn, onStranger } = props;
  const isKnown = account.value !== null;
  const isStranger = account.error !== null;
  useEffect(() => {
    if (isKnown && wanted !== undefined) onGoOn(wantedPath(wanted));
    if (isStranger) onStranger();
  }, [isKnown, isStranger, wanted, onGoOn, onStranger]);
  const signOut = useAction(async () => {
    await portalApi.signOut();
    rememberSignedIn(null);
    onStranger();
  });
  if (account.value === null) return <SignInFrame title="Sign in" text="Checking your session." />;
  return (
    <SignInFrame
      title="You are signed in"
      text={
        <>
          As <bdi class="strong">{account.value.email}</bdi>.
        </>
      }
    >
      <ButtonLink kind="primary" size="lg" isBlock href="/dashboard">
        Go to the overview
      </ButtonLink>
      <ActionButton kind="ghost" action={signOut} busy="Signing out">
        Sign out and use another address
      </ActionButton>
    </SignInFrame>
  );
}
