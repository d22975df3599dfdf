/** The line at the bottom: how current the charts are, what comes next, and what they have used. */

import { useEffect, useState } from 'preact/hooks';
import { exactNumber } from '../../components/number-text.ts';
import { useDesk, useFrames, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { rollWords } from './roll-words.ts';
import { lagText, monthName, ofText, sessionWords, sharePercent } from './state-words.ts';
import { useStore } from './use-store.ts';

const LOOK_MS = 1_000;
const NS_PER_MS = 1_000_000n;

export function DeskFoot() {
  const desk = useDesk();
  const drawer = useStore(desk.ui, (ui) => ui.drawer?.t);
  useEverySecond();
  const isWireOpen = drawer === 'wire';
  return (
    <footer class="desk-foot">
      <Pace />
      <Roll />
      <Session />
      <span class="grow" />
      <button
        type="button"
        aria-label="Messages of the stream (W)"
        title="Messages of the stream (W)"
        aria-pressed={isWireOpen}
        onClick={() => desk.openDrawer(isWireOpen ? null : { t: 'wire' })}
      >
        <DeskIcon name="wire" />
      </button>
      {desk.wire.cursor !== null && <span class="mono wide-only">{desk.wire.cursor}</span>}
      <Month />
      <Connections />
      <button type="button" class="keys-button" onClick={() => desk.setUi({ dialog: 'keys' })}>
        <kbd>?</kbd> Keys
      </button>
    </footer>
  );
}

function Pace() {
  const desk = useDesk();
  const connection = useStore(desk.connection);
  const isReplay = useStore(desk.replay.phase, ({ t }) => t === 'on');
  const { limits } = useStore(desk.usage);
  if (isReplay) {
    return (
      <span>
        <b>Replay</b>, live goes on behind it
      </span>
    );
  }
  if (connection.t === 'lost') {
    const away = Math.max(0, performance.now() - connection.atMs);
    return (
      <span>
        Away for <b>{Math.floor(away / 1_000)} s</b>
      </span>
    );
  }
  const { lagMs } = desk.wire;
  if (connection.t !== 'open' || lagMs === null) return null;
  return (
    <span>
      <b>{lagText(lagMs + limits.delaySeconds * 1_000)}</b> behind the tape
    </span>
  );
}

function Roll() {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  useFrames(seat);
  const words = rollWords(desk.instrument(spec.instrument), seat.feed.nextRollNs);
  if (words === null) return null;
  return (
    <span class="medium-up">
      {words.text} <b>{words.day}</b>
    </span>
  );
}

function Session() {
  const { seat } = useSeat();
  const words = sessionWords(seat.live.sessions, BigInt(Date.now()) * NS_PER_MS);
  if (words === null) return null;
  return (
    <span>
      {words.text} <b>{words.value}</b>
    </span>
  );
}

function Month() {
  const { used, limits, period } = useStore(useDesk().usage);
  const { computeBudget } = limits;
  if (computeBudget === 0) return <span class="medium-up">No history in your plan</span>;
  const { computeUnits } = used;
  const exact = `${exactNumber(computeUnits)} of ${exactNumber(computeBudget)} compute units`;
  return (
    <span class="medium-up" title={exact}>
      History in {monthName(period)} <b>{sharePercent(computeUnits / computeBudget)}</b> used
    </span>
  );
}

function Connections() {
  const desk = useDesk();
  const { open, limits } = useStore(desk.usage);
  const own = useStore(desk.connection, ({ t }) => (t === 'open' ? 1 : 0));
  const count = Math.max(open.connections, own);
  const { maxConnections } = limits;
  return (
    <span class="medium-up">
      {ofText(count, maxConnections)} {maxConnections === 1 ? 'connection' : 'connections'}
    </span>
  );
}

function useEverySecond(): void {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((turn) => turn + 1), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
}
