/** The recording's first frame as SVG, shown before any script. It equals the script's first picture. */

import type { Recording } from '@tapeloom/charts/feed/recording';
import { paintSvg } from '@tapeloom/charts/paint/svg-painter';
import { RowFollower } from '@tapeloom/charts/scene/footprint-layout';
import type { IndicatorObject } from '@tapeloom/client/stream';
import type { SnapshotMessage, SubscribedMessage } from '@tapeloom/protocol/server-messages';
import { footprintPicture } from '../../components/footprint-picture.ts';
import { StageChart, stageForm } from './stage-chart.ts';

/** The largest chart size. The picture is anchored to the right, and the page crops the rest. */
const WIDE = { width: 900, height: 560 };
const NARROW = { width: 640, height: 470 };

export function firstChart(recording: Recording): StageChart {
  const { tickSizeNanos } = messageOf<SubscribedMessage>(recording, 's1', 'subscribed');
  const chart = new StageChart(recording, tickSizeNanos);
  chart.restart(
    snapshotOf<'footprint'>(recording, 's1'),
    snapshotOf<'large-trades'>(recording, 's2'),
  );
  return chart;
}

/** One for desktops and one for phones; a media query shows one of them. */
export function firstFrames(recording: Recording): string {
  const chart = firstChart(recording);
  return [WIDE, NARROW]
    .map((size) => {
      const form = stageForm(size);
      const { batches } = footprintPicture(chart, { size, form, rows: new RowFollower() });
      return paintSvg(batches, size, { colours: 'page', className: `still still-${form}` });
    })
    .join('');
}

function snapshotOf<I extends string>(recording: Recording, sub: string): IndicatorObject<I>[] {
  const { items } = messageOf<SnapshotMessage>(recording, sub, 'snapshot');
  return items.map(({ id, final, ts, data }) => ({
    id,
    final,
    ts: BigInt(ts),
    data: data as IndicatorObject<I>['data'],
  }));
}

function messageOf<Message>(recording: Recording, sub: string, t: string): Message {
  const frame = recording.frames.find((it) => it.sub === sub && it.t === t);
  if (frame === undefined) throw new RangeError(`the recording has no ${t} of ${sub}`);
  return JSON.parse(frame.text) as Message;
}
