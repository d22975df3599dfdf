/** Draws received bars as a footprint, and again when the size or the colours change. */

import { useEffect, useRef } from 'preact/hooks';
import { FootprintCanvas, figuresLoaded } from '../../components/footprint-canvas.ts';
import { onColoursChange } from '../../shell/theme.ts';
import type { ArrivedBar } from './first-bar-stream.ts';

/** Narrower cards are laid out for phones. */
const WIDE_FROM = 560;

export function BarCanvas(props: { readonly bar: ArrivedBar; readonly label: string }) {
  const { bar, label } = props;
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    const chart = new FootprintCanvas(canvas, ({ width }) =>
      width < WIDE_FROM ? 'narrow' : 'wide',
    );
    const draw = () => chart.draw(bar.footprint, performance.now());
    const stop = onColoursChange(() => {
      chart.recolour();
      draw();
    });
    const observer = new ResizeObserver(draw);
    observer.observe(canvas);
    void figuresLoaded().then(draw);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [bar]);
  return (
    <div class="bar-canvas">
      <canvas ref={ref} role="img" aria-label={label} />
    </div>
  );
}
