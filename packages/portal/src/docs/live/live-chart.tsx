/** The chart of a stream, drawn by the code that draws these pages' charts, at a rate the eye can follow. */

import { drawFigure } from '@tapeloom/charts/figures/draw-figure';
import type { IndicatorDefinition, Params } from '@tapeloom/core/studies/indicator';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { useWidth } from '../../pages/dashboard/use-width.ts';
import type { Changes } from './live-changes.ts';
import { liveScene } from './live-scene.ts';
import type { LiveStream } from './live-stream.ts';

const FRAME_MS = 150;
const WIDTH_MIN = 280;

/** Renders after changes, at most once every `FRAME_MS`. */
export function useChanges(changes: Changes): void {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = changes.listen(() => {
      timer ??= setTimeout(() => {
        timer = null;
        render(undefined);
      }, FRAME_MS);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [changes]);
}

export function LiveChart(props: {
  readonly definition: IndicatorDefinition;
  readonly params: Params;
  readonly stream: LiveStream;
  /** Shown until a chart can be drawn. */
  readonly waiting: string;
}) {
  const { definition, params, stream } = props;
  const { ref, width } = useWidth<HTMLDivElement>();
  const drawn = useRef<HTMLDivElement>(null);
  const { contract, tickSizeNanos } = stream.state;
  const scene =
    tickSizeNanos === null || width === 0
      ? null
      : liveScene({
          definition,
          params,
          objects: stream.objects,
          candles: stream.candles,
          tickSizeNanos,
          width: Math.max(WIDTH_MIN, width),
          words: `${definition.name} of ${contract}, as it moves`,
        });
  const svg = scene === null ? '' : drawFigure(definition.id, scene);
  useLayoutEffect(() => {
    if (svg === '') drawn.current?.replaceChildren();
    else drawn.current?.replaceChildren(parsed(svg));
  }, [svg]);
  return (
    <div class="live-chart" ref={ref}>
      <div ref={drawn} />
      {svg === '' && <p class="live-waiting">{props.waiting}</p>}
      {scene !== null && (
        <Missing definition={definition} stream={stream} shown={scene.objects.length} />
      )}
    </div>
  );
}

/** Explains a chart that has no objects to show. */
function Missing(props: {
  readonly definition: IndicatorDefinition;
  readonly stream: LiveStream;
  readonly shown: number;
}) {
  const { size } = props.stream.objects;
  if (props.definition.parameters.some(({ name }) => name === 'lookback')) {
    return (
      <p class="live-note">
        {size.toLocaleString('en')} known. Those far from these prices are not drawn.
      </p>
    );
  }
  if (props.shown > 0) return null;
  return (
    <p class="live-note">Nothing to show in these bars yet. New objects appear as they happen.</p>
  );
}

function parsed(svg: string): Node {
  const { documentElement } = new DOMParser().parseFromString(svg, 'image/svg+xml');
  return document.importNode(documentElement, true);
}
