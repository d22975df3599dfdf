/** The bar of the replay: play and step, the clock, the day as a scrubber, step and speed, and the way back. */

import { REPLAY_SPEEDS, REPLAY_STEPS, type ReplaySpeed } from '@tapeloom/charts/feed/replay';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import { useEffect, useRef } from 'preact/hooks';
import { Button, ButtonLink } from '../../components/button.tsx';
import { onColoursChange } from '../../shell/theme.ts';
import { DayChooser } from './day-chooser.tsx';
import { useDesk, useDeskSize, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { Menu, MenuItem, Segments } from './menu.tsx';
import { sessionDayText } from './replay-days.ts';
import type { ReplayRun } from './replay-run.ts';
import { paintSelvedge, threadsOfDay } from './selvedge-paint.ts';
import { useStore } from './use-store.ts';
import { zoneTexts } from './zone-texts.ts';

const STEP_NAMES = { trade: 'Trade', flush: 'Flush', bar: 'Bar' } as const;
/** Shown side by side; all of them are in the menu of a phone. */
const SPEEDS_SHOWN: readonly ReplaySpeed[] = [1, 10, 50, 100];
const KEY_NS = 60_000_000_000n;

export function ReplayBar() {
  const { replay } = useDesk();
  const phase = useStore(replay.phase);
  switch (phase.t) {
    case 'off':
      return null;
    case 'opening':
      return (
        <section class="replay-bar is-note" aria-label="Replay">
          <p class="replay-note late" role="status">
            Looking for past sessions
          </p>
        </section>
      );
    case 'refused':
      return (
        <section class="replay-bar is-note" aria-label="Replay">
          <p class="replay-note" role="status">
            {phase.text}
          </p>
          <div class="acts">
            {phase.needsPlan && (
              <ButtonLink size="sm" href="/plans">
                See what Historical adds
              </ButtonLink>
            )}
            <Button size="sm" kind="ghost" onClick={() => replay.end()}>
              Close
            </Button>
          </div>
        </section>
      );
    case 'on':
      return <Running run={phase.run as ReplayRun} day={phase.day} />;
    default:
      return phase satisfies never;
  }
}

function Running({ run, day }: { readonly run: ReplayRun; readonly day: SessionSpan }) {
  const desk = useDesk();
  const { turns, step, speed, replay } = run;
  useStore(turns);
  const stepBy = useStore(step);
  const speedNow = useStore(speed);
  const isPhone = useDeskSize() === 'phone';
  const { state } = replay;
  const isPlaying = state.t === 'playing';
  return (
    <section class="replay-bar" aria-label="Replay">
      <div class="set">
        <ReplayIcon icon="step-back" label="One step back (,)" onClick={() => run.stepBack()} />
        <button
          type="button"
          class="play"
          aria-label={isPlaying ? 'Pause (Space)' : 'Play (Space)'}
          onClick={() => run.toggle()}
        >
          <DeskIcon name={isPlaying ? 'pause' : 'play'} />
        </button>
        <ReplayIcon icon="step-on" label="One step on (.)" onClick={() => run.stepOn()} />
      </div>
      <Clock run={run} day={day} />
      <Scrubber run={run} day={day} />
      {isPhone ? (
        <PhoneMenu run={run} />
      ) : (
        <>
          <Segments
            label="Step by"
            values={REPLAY_STEPS.map((it) => [it, STEP_NAMES[it]] as const)}
            chosen={stepBy}
            onChoose={(it) => step.set(it)}
          />
          <div class="set">
            <Segments
              label="Speed"
              values={SPEEDS_SHOWN.map((it) => [it, `${it}×`] as const)}
              chosen={speedNow}
              onChoose={(it) => run.setSpeed(it)}
            />
            <Button class="back-to-live" onClick={() => desk.replay.end()}>
              Back to live
            </Button>
          </div>
        </>
      )}
      <StateNote run={run} />
    </section>
  );
}

function StateNote({ run }: { readonly run: ReplayRun }) {
  const { state } = run.replay;
  if (state.t === 'asking') {
    return (
      <div class="replay-note row" role="status">
        {state.text}
        <Button size="sm" onClick={() => run.load()}>
          Load it
        </Button>
      </div>
    );
  }
  const text =
    state.t === 'failed'
      ? state.text
      : state.t === 'over'
        ? 'The session is over.'
        : state.t === 'loading'
          ? 'Loading the session'
          : '';
  return (
    <p
      class={state.t === 'loading' ? 'replay-note late' : 'replay-note'}
      role="status"
      hidden={text === ''}
    >
      {text}
    </p>
  );
}

function ReplayIcon(props: {
  readonly icon: 'step-back' | 'step-on';
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="b icon-only"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
    >
      <DeskIcon name={props.icon} />
    </button>
  );
}

function Clock({ run, day }: { readonly run: ReplayRun; readonly day: SessionSpan }) {
  const time = useSessionTime();
  return (
    <div class="replay-clock">
      <time>{time.clock(run.replay.atNs, true)}</time>
      <small>
        <Menu
          label="Choose a day"
          kind="dialog"
          opensUp
          buttonClass="day-button"
          button={`${sessionDayText(day)}, ${time.zoneTitle.toLowerCase()}`}
        >
          {(close) => (
            <DayChooser
              days={run.days}
              chosen={day.date}
              onChoose={(next) => {
                run.choose(next);
                close();
              }}
            />
          )}
        </Menu>
      </small>
    </div>
  );
}

function Scrubber({ run, day }: { readonly run: ReplayRun; readonly day: SessionSpan }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { replay } = run;
  const time = useSessionTime();
  const total = Number(day.closeNs - day.openNs);
  const shareOf = (ns: bigint) => Number(ns - day.openNs) / total;
  useEffect(() => {
    const place = canvas.current;
    // The bar may have gone before its effects ran.
    if (place === null) return undefined;
    const paint = () =>
      paintSelvedge(place, {
        threads: threadsOfDay(replay.selvedge, day),
        at: shareOf(replay.atNs),
        marks: [day.regular?.openNs, day.regular?.closeNs]
          .filter((ns) => ns !== undefined)
          .map((ns) => ({ x: shareOf(ns), text: time.clock(ns) })),
      });
    paint();
    const observer = new ResizeObserver(paint);
    observer.observe(place);
    const leave = onColoursChange(paint);
    return () => {
      observer.disconnect();
      leave();
    };
  });
  const seekTo = (ns: bigint) => {
    const inside = ns < day.openNs ? day.openNs : ns > day.closeNs ? day.closeNs : ns;
    run.seek(inside);
  };
  const dragged = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    seekTo(day.openNs + BigInt(Math.round(share * total)));
  };
  return (
    <div
      class="scrub"
      role="slider"
      tabIndex={0}
      aria-label="Position in the session"
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={Math.round(shareOf(replay.atNs) * 1000)}
      aria-valuetext={time.clock(replay.atNs, true)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && dragged(event)}
      onKeyDown={(event) => {
        const by = keyStep(event.key, day, replay.atNs);
        if (by === null) return;
        event.preventDefault();
        seekTo(by);
      }}
    >
      <canvas ref={canvas} />
    </div>
  );
}

/** Arrows move a minute, Page Up and Page Down half an hour. */
function keyStep(key: string, { openNs, closeNs }: SessionSpan, atNs: bigint): bigint | null {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return atNs - KEY_NS;
    case 'ArrowRight':
    case 'ArrowUp':
      return atNs + KEY_NS;
    case 'PageDown':
      return atNs - 30n * KEY_NS;
    case 'PageUp':
      return atNs + 30n * KEY_NS;
    case 'Home':
      return openNs;
    case 'End':
      return closeNs;
    default:
      return null;
  }
}

function PhoneMenu({ run }: { readonly run: ReplayRun }) {
  const { replay } = useDesk();
  const stepBy = useStore(run.step);
  const speedNow = useStore(run.speed);
  return (
    <Menu label="Step, speed and back" isIconOnly isAtEnd opensUp button={<DeskIcon name="more" />}>
      {(close) => (
        <>
          {REPLAY_STEPS.map((it) => (
            <MenuItem key={it} isChosen={it === stepBy} onClick={() => run.step.set(it)}>
              Step by {STEP_NAMES[it].toLowerCase()}
            </MenuItem>
          ))}
          <hr />
          {REPLAY_SPEEDS.map((it) => (
            <MenuItem key={it} isChosen={it === speedNow} onClick={() => run.setSpeed(it)}>
              {it}× as fast
            </MenuItem>
          ))}
          <hr />
          <MenuItem
            icon="close"
            onClick={() => {
              close();
              replay.end();
            }}
          >
            Back to live
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

function useSessionTime() {
  const { seat, spec } = useSeat();
  const zone = seat.content.instrument?.timeZone ?? seat.live.instrument?.timeZone ?? null;
  return zoneTexts(spec.zone, zone);
}
