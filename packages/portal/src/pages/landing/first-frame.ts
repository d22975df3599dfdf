/** The recording's first frame as SVG, shown before any script. It equals the script's first picture. */

import { type IndicatorObject, priceText } from '@tapeloom/client/stream';
import type { SnapshotMessage, SubscribedMessage } from '@tapeloom/protocol/server-messages';
import { chartGeometry, PriceFollower } from '../../footprint/chart-geometry.ts';
import { type ChartModel, ChartModels } from '../../footprint/chart-model.ts';
import { chartScene } from '../../footprint/chart-scene.ts';
import type { Recording } from '../../footprint/recording.ts';
import { svgText } from '../../footprint/svg-painter.ts';

/** The largest chart size. The picture is anchored to the right, and the page crops the rest. */
const WIDE = { width: 900, height: 560 };
const NARROW = { width: 640, height: 470 };

export function firstModel(recording: Recording): ChartModel {
  const models = new ChartModels(Number(recording.requests.s1?.params.group));
  return models.model(
    snapshotOf<'footprint'>(recording, 's1'),
    snapshotOf<'large-trades'>(recording, 's2'),
  );
}

/** One for desktops and one for phones; a media query shows one of them. */
export function firstFrames(recording: Recording): string {
  const { tickSizeNanos } = messageOf<SubscribedMessage>(recording, 's1', 'subscribed');
  const model = firstModel(recording);
  return [WIDE, NARROW]
    .map((size) => {
      const geometry = chartGeometry(size);
      const batches = chartScene({
        geometry,
        model,
        middleRow: new PriceFollower().next(geometry, model),
        priceText: (ticks) => priceText(ticks, tickSizeNanos),
        glow: () => 0,
      });
      const className = `still ${geometry.isNarrow ? 'still-narrow' : 'still-wide'}`;
      return svgText(batches, { ...size, className });
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
