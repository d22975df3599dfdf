/** What the socket sees: the last update of the footprint, the newest messages, and the plug to pull. */

import { Fragment } from 'preact';
import { Button } from '../../components/button.tsx';
import type { LastUpdate, LogLine, ReplayView, Resumption } from './replay.ts';
import type { StageText } from './stage-text.ts';

/** Levels and imbalances that are shown of the many there are. */
const LEVELS_SHOWN = 2;

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
        {replay?.last ? <UpdateJson update={replay.last} /> : <FirstJson text={props.text} />}
      </pre>
      <div class="wire-log" aria-hidden="true">
        {/* Lines keep their places and change their words: nothing in the page moves. */}
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
    return 'Pull the plug. The stream resumes at the exact trade, with nothing missed and nothing twice.';
  }
  const { told, missed, doubled } = replay.counts;
  return `${told} updates so far, ${missed} missed, ${doubled} twice, counted against the recording. Pull the plug and see.`;
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

/** Before the first update: what the client asks for. */
function FirstJson({ text: { instrument, params } }: { readonly text: StageText }) {
  return (
    <>
      {'{ '}
      <Field name="t" text="subscribe" />
      {', '}
      <Field name="sub" text="s1" />
      {',\n  '}
      <Field name="instrument" text={instrument} />
      {',\n  '}
      <Field name="indicator" text="footprint" />
      {',\n  '}
      <Key name="params" />
      {': {'}
      {Object.entries(params).map(([name, value], index) => (
        <Fragment key={name}>
          {index > 0 && ','}
          {'\n    '}
          {typeof value === 'string' ? (
            <Field name={name} text={value} />
          ) : (
            <Field name={name} value={value} />
          )}
        </Fragment>
      ))}
      {'\n  } }'}
    </>
  );
}

function UpdateJson({ update }: { readonly update: LastUpdate }) {
  const { object, cursor, sub } = update;
  const { close, volume, delta, trades, poc, val, vah, levels, imbalances } = object.data;
  return (
    <>
      {'{ '}
      <Field name="t" text="upsert" />
      {', '}
      <Field name="sub" text={sub} />
      {',\n  '}
      <Field name="cursor" text={cursor} />
      {',\n  '}
      <Field name="id" text={object.id} />
      {',\n  '}
      <Key name="final" />
      {': '}
      <span class="k">{String(object.final)}</span>
      {',\n  '}
      <Key name="data" />
      {': {\n    '}
      <Pair a={['close', close]} b={['volume', volume]} />
      <Pair a={['delta', delta]} b={['trades', trades]} />
      <Field name="poc" value={poc ?? 'null'} />
      {',\n    '}
      <Pair a={['val', val ?? 'null']} b={['vah', vah ?? 'null']} />
      <Rows name="levels" rows={levels} />
      {',\n    '}
      <Rows name="imbalances" rows={imbalances} />
      {' … } }'}
    </>
  );
}

function Pair(props: {
  readonly a: readonly [string, number | string];
  readonly b: readonly [string, number | string];
}) {
  return (
    <>
      <Field name={props.a[0]} value={props.a[1]} />
      {', '}
      <Field name={props.b[0]} value={props.b[1]} />
      {',\n    '}
    </>
  );
}

type Row = readonly (number | undefined)[];

function Rows(props: { readonly name: string; readonly rows: readonly Row[] }) {
  const shown = props.rows.slice(-LEVELS_SHOWN);
  return (
    <>
      <Key name={props.name} />
      {': ['}
      {shown.map((row, index) => (
        <Fragment key={row[0]}>
          {index > 0 && ',\n      '}
          <span class="n">[{row.join(', ')}]</span>
        </Fragment>
      ))}
      {props.rows.length > shown.length && ', …'}
      {']'}
    </>
  );
}

function Field(props: {
  readonly name: string;
  readonly text?: string;
  readonly value?: number | string;
}) {
  return (
    <>
      <Key name={props.name} />
      {': '}
      {props.text === undefined ? (
        <span class="n">{props.value}</span>
      ) : (
        <span class="s">"{props.text}"</span>
      )}
    </>
  );
}

function Key({ name }: { readonly name: string }) {
  return <span class="p">"{name}"</span>;
}
