/** Draws received bars as a footprint, and again when the size or the colours change. */

import { useEffect, useRef } from 'preact/hooks';
import { FootprintCanvas } from '../../footprint/footprint-canvas.ts';
import { onColoursChange } from '../../shell/theme.ts';
import type { ArrivedBar } from './first-bar-stream.ts';

export function BarCanvas(props: { readonly bar: ArrivedBar; readonly label: string }) {
  const { bar, label } = props;
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    const chart = new FootprintCanvas({ canvas, priceText: bar.priceText });
    const draw = () => chart.draw(bar.model, performance.now());
    const stop = onColoursChange(() => {
      chart.recolour();
      draw();
    });
    const observer = new ResizeObserver(draw);
    observer.observe(canvas);
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
