/**
 * The chart workspace: it fetches what it must know first, opens the wanted layout, and draws the frame around the
 * charts. A visitor without a session goes to the sign-in page and comes back.
 */

import { useEffect, useState } from 'preact/hooks';
import { PortalError } from '../../api/portal-error.ts';
import { Button } from '../../components/button.tsx';
import { Mark } from '../../components/icon.tsx';
import { Toasts } from '../../components/toast.tsx';
import { onOtherTab, rememberSignedIn } from '../../shell/signed-in-hint.ts';
import { signInPath } from '../../shell/wanted-path.ts';
import { barText } from './bar-words.ts';
import { ChartPane } from './chart-pane.tsx';
import { heardKey } from './commands.ts';
import type { Desk } from './desk.ts';
import { DeskProvider } from './desk-context.tsx';
import { DeskFoot } from './desk-foot.tsx';
import { useWindowSize } from './desk-size.ts';
import { keepFragment } from './kept-layout.ts';
import { later } from './later.tsx';
import { openDesk } from './open-desk.ts';
import { ToolRail } from './tool-rail.tsx';
import { TopBar } from './top-bar.tsx';
import { useStore } from './use-store.ts';
import { chartInUse } from './workspace.ts';

type Stage =
  | { readonly t: 'loading' }
  | { readonly t: 'failed'; readonly text: string }
  | { readonly t: 'ready'; readonly desk: Desk };

export function ChartsPage() {
  const [stage, setStage] = useState<Stage>({ t: 'loading' });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let opened: Desk | null = null;
    setStage({ t: 'loading' });
    openDesk(abort.signal).then(
      (desk) => {
        opened = desk;
        if (abort.signal.aborted) desk.close();
        else setStage({ t: 'ready', desk });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (error instanceof PortalError && error.status === 401) goToSignIn();
        else
          setStage({ t: 'failed', text: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      abort.abort();
      opened?.close();
    };
  }, [tries]);
  if (stage.t === 'ready') return <Workspace desk={stage.desk} />;
  return (
    <main class="desk-alone">
      <Mark isLarge />
      {stage.t === 'loading' ? (
        <h1 class="late">Opening your charts</h1>
      ) : (
        <>
          <h1>The charts could not be opened</h1>
          <p role="alert">{stage.text}</p>
          <Button onClick={() => setTries(tries + 1)}>Try again</Button>
        </>
      )}
    </main>
  );
}

function goToSignIn(): void {
  rememberSignedIn(null);
  keepFragment(location.hash, Date.now());
  location.replace(signInPath('/charts'));
}

function Workspace({ desk }: { readonly desk: Desk }) {
  const size = useWindowSize();
  const { charts } = useStore(desk.workspace);
  const isPhone = size === 'phone';
  useKeys(desk);
  useTitle(desk);
  useAccountChange(desk);
  return (
    <DeskProvider value={{ desk, size }}>
      <div class="desk" data-size={size}>
        <a class="skip" href="#stage">
          Skip to the chart
        </a>
        <TopBar />
        {!isPhone && <ToolRail />}
        <main class="desk-stage" id="stage" tabIndex={-1} data-charts={charts.length}>
          <h1 class="visually-hidden">Charts</h1>
          {charts.map((chart, at) => (
            <ChartPane
              key={chart.key}
              chart={chart}
              number={at + 1}
              isAlone={charts.length === 1}
            />
          ))}
        </main>
        <OpenParts desk={desk} />
        {isPhone ? <PhoneTabs /> : <DeskFoot />}
        <Toasts />
      </div>
    </DeskProvider>
  );
}

const OpenDrawer = later(async () => (await import('./open-drawer.tsx')).OpenDrawer);
const PhoneTabs = later(async () => (await import('./phone-tabs.tsx')).PhoneTabs);
const OpenDialog = later(async () => (await import('./open-dialog.tsx')).OpenDialog);
const ReplayBar = later(async () => (await import('./replay-bar.tsx')).ReplayBar);

/** What opens on request. */
function OpenParts({ desk }: { readonly desk: Desk }) {
  const { drawer, dialog } = useStore(desk.ui);
  const hasReplay = useStore(desk.replay.phase, ({ t }) => t !== 'off');
  return (
    <>
      {drawer !== null && <OpenDrawer drawer={drawer} />}
      {hasReplay && <ReplayBar />}
      {dialog !== null && <OpenDialog dialog={dialog} />}
    </>
  );
}

function useKeys(desk: Desk): void {
  useEffect(() => {
    const heard = (event: KeyboardEvent) => heardKey(desk, event);
    document.addEventListener('keydown', heard);
    return () => document.removeEventListener('keydown', heard);
  }, [desk]);
}

function useTitle(desk: Desk): void {
  const { spec } = useStore(desk.workspace, chartInUse);
  const { instrument, bar } = spec;
  useEffect(() => {
    document.title = `${instrument}, ${barText(bar)} · Charts · Tapeloom`;
  }, [instrument, bar]);
}

/** Another tab signed out, or in as somebody else: nothing of this account may stay on screen. */
function useAccountChange(desk: Desk): void {
  useEffect(() => {
    rememberSignedIn(desk.facts.account.id);
    return onOtherTab((who) => {
      if (who === 'another') location.reload();
      if (who === 'nobody') desk.connection.set({ t: 'signed-out' });
      if (who === 'somebody' && desk.connection.value.t === 'signed-out') void desk.resume();
    });
  }, [desk]);
}
