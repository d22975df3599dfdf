/** The wire's view: the footprint's last update, the newest messages, and a button that cuts the connection. */

import { Button } from '../../components/button.tsx';
import { Coloured } from './coloured.tsx';
import type { LastUpdate, LogLine, ReplayView, Resumption } from './replay.ts';
import type { StageText } from './stage-text.ts';

const LEVELS_SHOWN = 2;
/** An array of numbers counts as one number. */
const JSON_PARTS =
  /(?<name>"[^"]*"(?=:))|(?<text>"[^"]*")|(?<word>\b(?:true|false)\b)|(?<number>\[-?\d[^\]]*\]|-?\d[\d.]*|\bnull\b)/g;

export function Wire(props: {
  readonly replay: ReplayView | null;
  readonly text: StageText;
  readonly onCut: () => void;
}) {
  const { replay } = props;
  const isAway = replay?.away != null;
  const canCut = replay !== null && !isAway && !replay.isOver && replay.connection === 'open';
  return (
    <div class="wire">
      <div class="wire-bar">
        <b>What your socket sees</b>
        <span class="badge mono">{replay === null ? 'JSON' : `${replay.perSecond} msg/s`}</span>
      </div>
      <pre class="wire-json" aria-hidden="true">
        <Coloured
          text={replay?.last ? updateText(replay.last) : requestText(props.text)}
          pattern={JSON_PARTS}
        />
      </pre>
      <div class="wire-log" aria-hidden="true">
        {/* Lines keep their positions and change their text, so that nothing in the page moves. */}
        {replay?.log.map((line) => (
          <Line line={line} />
        ))}
      </div>
      <div class="wire-foot">
        <p class="small muted">{noteText(replay)}</p>
        <p class="visually-hidden" role="status">
          {replay?.resumed ? resumedText(replay.resumed) : ''}
        </p>
        <Button kind="secondary" icon="cut" isBlock isOff={!canCut} onClick={props.onCut}>
          {isAway ? 'Reconnecting' : 'Cut the connection'}
        </Button>
      </div>
    </div>
  );
}

function noteText(replay: ReplayView | null): string {
  if (replay?.resumed) return resumedText(replay.resumed);
  if (replay === null || replay.counts.told === 0) {
    return 'Cut the connection. The stream resumes at the exact trade, with nothing missed and nothing twice.';
  }
  const { told, missed, doubled } = replay.counts;
  return `${told} updates so far, ${missed} missed, ${doubled} twice, counted against the recording. Cut the connection and see.`;
}

function resumedText({ cursor, awayMs, caughtUp, missed, doubled }: Resumption): string {
  const seconds = (awayMs / 1_000).toFixed(1);
  return `Back after ${seconds} s, resumed from ${cursor}. ${caughtUp} updates caught up, ${missed} missed, ${doubled} twice.`;
}

function Line({ line }: { readonly line: LogLine }) {
  if (line.isNews) {
    return (
      <div class="news">
        <span>{line.what}</span>
        {line.where !== '' && <span>{line.where}</span>}
        {line.value !== '' && <span>{line.value}</span>}
      </div>
    );
  }
  const side = line.side > 0 ? 'up' : line.side < 0 ? 'down' : undefined;
  return (
    <div>
      <b>{line.what}</b>
      <span>{line.where}</span>
      <span class={side}>{line.value}</span>
    </div>
  );
}

/** Before the first update: the client's request. */
function requestText({ instrument, params }: StageText): string {
  const given = Object.entries(params).map(([name, value]) => {
    return `\n    "${name}": ${JSON.stringify(value)}`;
  });
  return `{ "t": "subscribe", "sub": "s1",
  "instrument": "${instrument}",
  "indicator": "footprint",
  "params": {${given.join(',')}
  } }`;
}

function updateText({ object, cursor, sub }: LastUpdate): string {
  const { close, volume, delta, trades, poc, val, vah, levels, imbalances } = object.data;
  return `{ "t": "upsert", "sub": "${sub}",
  "cursor": "${cursor}",
  "id": "${object.id}",
  "final": ${object.final},
  "data": {
    "close": ${close}, "volume": ${volume},
    "delta": ${delta}, "trades": ${trades},
    "poc": ${poc},
    "val": ${val}, "vah": ${vah},
    "levels": ${rowsText(levels)},
    "imbalances": ${rowsText(imbalances)} … } }`;
}

function rowsText(rows: readonly (readonly (number | undefined)[])[]): string {
  const shown = rows.slice(-LEVELS_SHOWN).map((row) => `[${row.join(', ')}]`);
  return `[${shown.join(',\n      ')}${rows.length > shown.length ? ', …' : ''}]`;
}
