/** The landing page's stage: the chart, and its messages. Both play a recording, and are labelled so. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { StageController, type StageView } from './stage-controller.ts';
import { BAR_COLUMNS, type BarRow } from './stage-table.ts';
import type { StageText } from './stage-text.ts';
import { Wire } from './wire.tsx';

const EMPTY: StageView = { isPlaying: true, replay: null, rows: [], hasFailed: false };
const SENTENCE =
  'Footprint chart of a recorded session, replayed: the volume sold at the bid and bought at the ask at each price of each bar, with point of control, value area, imbalances, large trades, delta and cumulative delta.';

export function Stage(props: {
  readonly text: StageText;
  /** The first frame as HTML, which the script leaves in place. */
  readonly still: string;
  readonly recordingUrl: string | null;
}) {
  const { text, recordingUrl } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const controller = useRef<StageController | null>(null);
  const [view, setView] = useState(EMPTY);
  const [isTable, setIsTable] = useState(false);
  useEffect(() => {
    if (canvas.current === null || recordingUrl === null) return;
    const own = new StageController({ canvas: canvas.current, recordingUrl, onView: setView });
    controller.current = own;
    return () => own.stop();
  }, [recordingUrl]);
  const { replay, isPlaying } = view;
  return (
    <>
      <figure class="stage" aria-labelledby="stage-caption">
        <div class="stage-chart">
          <div class="stage-bar">
            <b class="stage-name">{text.instrument}</b>
            <span class="muted stage-desc">{text.name}</span>
            <span class="badge">
              <span class={isPlaying && replay !== null ? 'dot live' : 'dot'} />
              Recording, {text.day}
            </span>
            <Legend />
            <Button
              kind="ghost"
              icon={isPlaying ? 'pause' : 'play'}
              label={isPlaying ? 'Pause the replay' : 'Play the replay'}
              onClick={() => controller.current?.toggle()}
            />
          </div>
          <div class="canvas-box">
            <div
              class="stills"
              hidden={replay !== null}
              dangerouslySetInnerHTML={{ __html: props.still }}
            />
            <canvas ref={canvas} role="img" aria-label={SENTENCE} />
            <Veil view={view} />
          </div>
        </div>
        <Wire replay={replay} text={text} onCut={() => controller.current?.cut()} />
      </figure>
      <div class="stage-foot">
        <p id="stage-caption" class="small muted">
          A recorded session of our simulator, replayed in your browser through the client library.
          No key, no account.
        </p>
        <Button
          kind="ghost"
          size="sm"
          isOff={view.rows.length === 0}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? 'Hide the table' : 'Show as table'}
        </Button>
      </div>
      {isTable && <BarTable rows={view.rows} />}
    </>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      {LEGEND.map(([kind, name]) => (
        <li key={kind}>
          <i class={`sw ${kind}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}

const LEGEND = [
  ['bid', 'Bid'],
  ['ask', 'Ask'],
  ['imb', 'Imbalance'],
  ['poc', 'POC'],
  ['large', 'Large trade'],
] as const;

/** The last picture stays; a label explains the interruption. */
function Veil({ view: { replay, hasFailed, isPlaying } }: { readonly view: StageView }) {
  const text = veilText({ replay, hasFailed, isPlaying });
  if (text === null) return null;
  return (
    <div class={replay?.away ? 'veil is-away' : 'veil'}>
      <span class="toast">
        <span class="dot" />
        <span>{text}</span>
      </span>
    </div>
  );
}

function veilText({ replay, hasFailed }: Pick<StageView, 'replay' | 'hasFailed' | 'isPlaying'>) {
  if (hasFailed) return 'The recording could not be loaded. Play tries again.';
  if (replay === null) return null;
  if (replay.isOver) return 'The recording has ended and starts again.';
  if (replay.away === null) return null;
  const seconds = Math.floor(replay.away.ms / 1_000);
  return `Reconnecting, away for ${seconds} s. Nothing is lost: the stream resumes at ${replay.away.cursor}.`;
}

const COLUMNS = Object.entries(BAR_COLUMNS) as [keyof BarRow, string][];

function BarTable({ rows }: { readonly rows: readonly BarRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="table-scroll bar-table" tabIndex={0} aria-label="The bars of the chart">
      <table>
        <caption class="visually-hidden">The newest bars of the chart, newest first</caption>
        <thead>
          <tr>
            {COLUMNS.map(([name, label]) => (
              <th key={name} scope="col" class={name === 'time' ? undefined : 'r'}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {COLUMNS.map(([name]) =>
                name === 'time' ? (
                  <th key={name} scope="row">
                    {row.time}
                  </th>
                ) : (
                  <td key={name} class="r">
                    {row[name]}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
