/** The bar at the top: what is shown, how, and whether it is live. */

import { useEffect, useState } from 'preact/hooks';
import { Mark } from '../../components/icon.tsx';
import { chooseTheme, isDarkNow, onColoursChange } from '../../shell/theme.ts';
import { BarChooser, GroupChooser, InstrumentChooser, LookChooser } from './chooser-menus.tsx';
import { useDesk, useDeskSize, useFrames, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { INDICATORS_DRAWER } from './desk-ui.ts';
import { isFullScreen, toggleFullScreen } from './full-screen.ts';
import { LayoutMenu } from './layout-menu.tsx';
import { sessionDayText } from './replay-days.ts';
import { sessionChange } from './session-change.ts';
import { ShareMenu } from './share-menu.tsx';
import { pillOf } from './state-words.ts';
import { useStore } from './use-store.ts';
import { warmParts } from './warm-parts.ts';
import { zoneTexts } from './zone-texts.ts';

export function TopBar() {
  const isPhone = useDeskSize() === 'phone';
  return (
    <header class="desk-bar" onPointerEnter={warmParts} onFocusCapture={warmParts}>
      {!isPhone && (
        <a class="home" href="/dashboard" aria-label="Tapeloom, overview" title="Overview">
          <Mark />
        </a>
      )}
      <InstrumentChooser />
      <LastPrice />
      {!isPhone && (
        <>
          <span class="sep wide-only" />
          <BarChooser />
          <LookChooser />
          <span class="medium-up">
            <GroupChooser />
          </span>
          <span class="sep wide-only" />
          <IndicatorsButton />
          <ReplayButton />
        </>
      )}
      <span class="grow" />
      <Connection />
      {!isPhone && (
        <>
          <span class="sep medium-up" />
          <LayoutMenu />
          <ShareMenu />
          <FullScreenButton />
          <ThemeButton />
        </>
      )}
    </header>
  );
}

function LastPrice() {
  const { seat, spec } = useSeat();
  useFrames(seat);
  const { content } = seat;
  const change = sessionChange(content);
  if (change === null) return null;
  const zone = zoneTexts(spec.zone, content.instrument?.timeZone ?? null);
  const since = change.sinceNs === null ? 'the open' : zone.clock(change.sinceNs);
  return (
    <>
      <span class="last">{change.last}</span>
      {change.change !== '' && (
        <span class="change full-only">
          {change.change} since {since}
        </span>
      )}
    </>
  );
}

function IndicatorsButton() {
  const desk = useDesk();
  const isOpen = useStore(desk.ui, ({ drawer }) => drawer?.t === 'indicators');
  return (
    <button
      type="button"
      class="b"
      aria-label="Indicators"
      title="Indicators (/)"
      aria-expanded={isOpen}
      onClick={() => desk.openDrawer(isOpen ? null : INDICATORS_DRAWER)}
    >
      <DeskIcon name="indicators" />
      <span class="medium-up">Indicators</span>
    </button>
  );
}

function ReplayButton() {
  const { replay } = useDesk();
  const isOn = useStore(replay.phase, ({ t }) => t !== 'off');
  return (
    <button
      type="button"
      class="b"
      aria-label="Replay"
      title="Replay a past session"
      aria-pressed={isOn}
      onClick={() => (isOn ? replay.end() : void replay.open())}
    >
      <DeskIcon name="replay" />
      <span class="medium-up">Replay</span>
    </button>
  );
}

function Connection() {
  const desk = useDesk();
  const { seat } = useSeat();
  useFrames(seat);
  const connection = useStore(desk.connection, ({ t }) => t);
  const phase = useStore(desk.replay.phase);
  const { limits } = useStore(desk.usage);
  const replayDay = phase.t === 'on' ? sessionDayText(phase.day).slice(4) : null;
  const { live } = seat.live;
  const { text, kind, isOpen } = pillOf({
    ...{ connection, live, replayDay },
    delaySeconds: limits.delaySeconds,
  });
  return (
    <span class={`desk-pill ${kind}`}>
      <span class={isOpen ? 'dot open' : 'dot'} />
      {text}
    </span>
  );
}

function FullScreenButton() {
  const [isFull, setIsFull] = useState(false);
  useEffect(() => {
    const look = () => setIsFull(isFullScreen());
    document.addEventListener('fullscreenchange', look);
    return () => document.removeEventListener('fullscreenchange', look);
  }, []);
  if (!document.fullscreenEnabled) return null;
  const label = isFull ? 'Leave full screen (F)' : 'Full screen (F)';
  return (
    <button
      type="button"
      class="b icon-only wide-only"
      aria-label={label}
      title={label}
      aria-pressed={isFull}
      onClick={toggleFullScreen}
    >
      <DeskIcon name="full" />
    </button>
  );
}

export function ThemeButton() {
  const [isDark, setIsDark] = useState(isDarkNow);
  useEffect(() => onColoursChange(() => setIsDark(isDarkNow())), []);
  const label = isDark ? 'Switch to light' : 'Switch to dark';
  return (
    <button
      type="button"
      class="b icon-only"
      aria-label={label}
      title={label}
      onClick={() => chooseTheme(isDark ? 'light' : 'dark')}
    >
      <DeskIcon name={isDark ? 'sun' : 'moon'} />
    </button>
  );
}
