/** The frame of public pages: a top bar and a footer. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ButtonLink } from '../components/button.tsx';
import { Mark } from '../components/icon.tsx';
import { LEGAL_ITEMS, SUPPORT_ITEM, WITHDRAW_ITEM } from './navigation.ts';
import { isProbablySignedIn } from './signed-in-hint.ts';
import { ThemeSwitch } from './theme-switch.tsx';

export function PublicFrame(props: { readonly children: ComponentChildren }) {
  return (
    <div class="public">
      <TopBar />
      <main class="wrap public-page" id="main">
        {props.children}
      </main>
      <Footer />
    </div>
  );
}

/** Children precede the other controls at its end. */
export function TopBar(props: { readonly children?: ComponentChildren }) {
  const [isSignedIn, setIsSignedIn] = useState(false);
  useEffect(() => setIsSignedIn(isProbablySignedIn()), []);
  return (
    <header class="top">
      <div class="wrap">
        <a class="brand" href="/">
          <Mark />
          Tapeloom
        </a>
        <nav aria-label="Main">
          <a href="/#indicators">Indicators</a>
          <a href="/plans">Plans</a>
          <a href="/docs">Docs</a>
          <a href="/status">Status</a>
        </nav>
        <div class="end">
          {props.children}
          <ThemeSwitch />
          {isSignedIn ? (
            <ButtonLink kind="primary" href="/dashboard">
              Overview
            </ButtonLink>
          ) : (
            <>
              <ButtonLink kind="ghost" class="wide-only" href="/sign-in">
                Sign in
              </ButtonLink>
              <ButtonLink kind="primary" href="/sign-in?next=/keys">
                Get a free key
              </ButtonLink>
            </>
          )}
        </div>
      </div>
    </header>
  );
}

export function Footer(props: { readonly children?: ComponentChildren }) {
  return (
    <footer class="foot">
      <div class="wrap">
        <a class="brand" href="/">
          <Mark />
          Tapeloom
        </a>
        <nav aria-label="Footer">
          <a href="/docs">Docs</a>
          <a href="/plans">Plans</a>
          <a href="/status">Status</a>
          {[SUPPORT_ITEM, WITHDRAW_ITEM, ...LEGAL_ITEMS].map(({ href, name }) => (
            <a key={href} href={href}>
              {name}
            </a>
          ))}
        </nav>
        {props.children}
      </div>
    </footer>
  );
}
