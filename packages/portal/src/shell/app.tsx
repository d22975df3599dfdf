/**
 * The portal's root: renders an address's page in its frame, and moves the focus to its heading as a new document
 * would.
 */

import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { onSessionEnded } from '../api/call.ts';
import { Toasts } from '../components/toast.tsx';
import { AccountProvider } from './account-context.tsx';
import { AppFrame } from './app-frame.tsx';
import { PageFailed } from './page-failed.tsx';
import { APP_PATHS, frameOf } from './page-paths.ts';
import { PasskeyDialog } from './passkey-dialog.tsx';
import { PublicFrame } from './public-frame.tsx';
import { NOT_FOUND, PAGES } from './routes.ts';
import { isProbablySignedIn, onOtherTab, rememberSignedIn } from './signed-in-hint.ts';
import { signInPath } from './wanted-path.ts';

export function App() {
  return (
    <LocationProvider scope={APP_PATHS}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Framed>
        <Pages />
      </Framed>
      <PasskeyDialog />
      <Toasts />
    </LocationProvider>
  );
}

function Framed(props: { readonly children: ComponentChildren }) {
  const { path, url, route } = useLocation();
  const frame = frameOf(path);
  useEffect(
    () =>
      onSessionEnded(() => {
        rememberSignedIn(null);
        // An open dialog stays: its secret is shown only once, and typed text would be lost. It explains what to do.
        if (document.querySelector('dialog[open]') !== null) return;
        // A public page stays, as visitors without a session see it.
        route(frame === 'app' ? signInPath(url) : url, true);
      }),
    [frame, url, route],
  );
  useEffect(
    () =>
      onOtherTab((who) => {
        // A new document, so that no account data stays in memory or is mistaken for another account's.
        if (frame === 'bare' || who === 'somebody') return;
        location.replace(frame === 'app' && who === 'nobody' ? signInPath(url) : url);
      }),
    [frame, url],
  );
  if (frame === 'bare') return props.children;
  if (frame === 'either' && !isProbablySignedIn()) {
    return <PublicFrame>{props.children}</PublicFrame>;
  }
  return (
    <AccountProvider>
      <AppFrame>{props.children}</AppFrame>
    </AccountProvider>
  );
}

function Pages() {
  const [failure, setFailure] = useState<unknown>(null);
  const routeChanged = useCallback(() => {
    setFailure(null);
    focusHeading();
  }, []);
  if (failure !== null) return <PageFailed />;
  return (
    <ErrorBoundary
      onError={(error) => {
        console.error(error);
        setFailure(error);
      }}
    >
      <Router onRouteChange={routeChanged}>
        {Object.entries(PAGES).map(([path, page]) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route default component={NOT_FOUND} />
      </Router>
    </ErrorBoundary>
  );
}

/** Focuses the part that the address names, or the heading. */
function focusHeading(): void {
  const named = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading !== null) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  named?.scrollIntoView();
}
