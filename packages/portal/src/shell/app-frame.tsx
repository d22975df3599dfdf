/** The frame of every signed-in page: a side bar, which becomes a row of tabs on narrow screens. */

import { PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { portalApi } from '../api/portal-api.ts';
import { useAction } from '../api/use-action.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { Icon, Mark } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { Time } from '../components/time.tsx';
import { showToast } from '../components/toast.tsx';
import { useAccount } from './account-context.tsx';
import {
  isHere,
  LEGAL_ITEMS,
  MAIN_ITEMS,
  MORE_ITEMS,
  type NavigationItem,
  SUPPORT_ITEM,
  WITHDRAW_ITEM,
} from './navigation.ts';
import { rememberSignedIn } from './signed-in-hint.ts';
import { ThemeSwitch } from './theme-switch.tsx';

export function AppFrame(props: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  return (
    <div class="app">
      <header class="side">
        <div class="side-top">
          <a class="brand" href="/">
            <Mark />
            Tapeloom
          </a>
          <div class="narrow-only">
            <ThemeSwitch />
            <SignOut />
          </div>
        </div>
        <Items items={MAIN_ITEMS} more={MORE_ITEMS} path={path} />
        <Who />
      </header>
      <main class="page" id="main">
        <DeletionNotice path={path} />
        {props.children}
        <PageFoot />
      </main>
    </div>
  );
}

/** On every page, so that the way out of a contract is easy to find. */
function PageFoot() {
  return (
    <nav class="page-foot" aria-label="Legal">
      {[SUPPORT_ITEM, WITHDRAW_ITEM, ...LEGAL_ITEMS].map(({ href, name }) => (
        <a key={href} href={href}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function Items(props: {
  readonly items: readonly NavigationItem[];
  readonly more: readonly NavigationItem[];
  readonly path: string;
}) {
  const { path } = props;
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = ref.current?.querySelector<HTMLElement>('[aria-current]');
    // Scrolls only sideways: the page itself must not move.
    if (tab && ref.current) ref.current.scrollLeft = tab.offsetLeft - 60;
  }, [path]);
  const item = (entry: NavigationItem) => (
    <a
      key={entry.href}
      class="item"
      href={entry.href}
      aria-current={isHere(entry, path) ? 'page' : undefined}
    >
      <Icon name={entry.icon} />
      {entry.name}
    </a>
  );
  return (
    <nav aria-label="Portal" ref={ref}>
      {props.items.map(item)}
      <hr />
      {props.more.map(item)}
    </nav>
  );
}

function Who() {
  const account = useAccount()?.value ?? null;
  return (
    <div class="who">
      <div class="who-text">
        {account !== null && (
          <>
            <b title={account.email}>
              <bdi>{account.email}</bdi>
            </b>
            <span class="tiny faint">{PLAN_NAMES[account.plan]}</span>
          </>
        )}
      </div>
      <ThemeSwitch />
      <SignOut />
    </div>
  );
}

function SignOut() {
  const signOut = useAction(async () => {
    await portalApi.signOut();
    rememberSignedIn(null);
    // A new document, so that no account data stays in memory.
    location.assign('/sign-in');
  });
  const click = async () => {
    // A visitor who wrongly believes to be signed out may leave the machine to others.
    if (!(await signOut.run())) showToast('You are still signed in. Try again.', 'warn');
  };
  return <Button kind="ghost" icon="out" label="Sign out" onClick={() => void click()} />;
}

function DeletionNotice({ path }: { readonly path: string }) {
  const deletion = useAccount()?.value?.deletion ?? null;
  if (deletion === null || path === '/account') return null;
  return (
    <div class="frame-notice">
      <Notice
        kind="danger"
        title={
          <>
            This account will be deleted on <Time at={deletion.dueAt} form="both" />.
          </>
        }
        action={
          <ButtonLink size="sm" href="/account#deletion">
            Keep it
          </ButtonLink>
        }
      />
    </div>
  );
}
