/** Opens a stream on a click and draws the first bar. No stream opens by itself, and a hidden page keeps none open. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Plan } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { BarCanvas } from './bar-canvas.tsx';
import { type ArrivedBar, firstBar, NoConnectionLeftError } from './first-bar-stream.ts';

type Stage =
  | { readonly t: 'idle' }
  | { readonly t: 'opening' }
  | { readonly t: 'hidden' }
  | { readonly t: 'failed'; readonly title: string; readonly text: string }
  | { readonly t: 'arrived'; readonly bar: ArrivedBar };

export function FirstBar(props: {
  readonly plan: Plan;
  readonly onArrived: () => void;
  /** Called when the reader is finished with the bar. */
  readonly onDone: () => void;
}) {
  const [stage, setStage] = useState<Stage>({ t: 'idle' });
  const opened = useRef<AbortController | null>(null);
  useEffect(() => {
    const hide = () => {
      if (document.visibilityState !== 'hidden' || opened.current === null) return;
      opened.current.abort();
      setStage({ t: 'hidden' });
    };
    document.addEventListener('visibilitychange', hide);
    return () => {
      document.removeEventListener('visibilitychange', hide);
      opened.current?.abort();
    };
  }, []);

  const open = async () => {
    const abort = new AbortController();
    opened.current = abort;
    setStage({ t: 'opening' });
    try {
      const bar = await firstBar(abort.signal);
      if (abort.signal.aborted) return;
      props.onArrived();
      setStage({ t: 'arrived', bar });
    } catch (error) {
      if (!abort.signal.aborted) setStage({ t: 'failed', ...failureWords(error) });
    }
    if (opened.current === abort) opened.current = null;
  };

  if (stage.t === 'arrived') {
    return (
      <>
        <Notice kind="ok" title="Your first bar arrived." isNews>
          {arrivedText(stage.bar)}
        </Notice>
        <BarCanvas bar={stage.bar} label={`Footprint of ${arrivedText(stage.bar)}`} />
        <p class="small">
          Each row is a price: sold at the bid on the left, bought at the ask on the right.{' '}
          <a href="/docs/indicators/footprint">More about the footprint</a>
        </p>
        <Button onClick={props.onDone}>Done</Button>
      </>
    );
  }
  return (
    <>
      <p>
        Open a stream here, with a token of this session; or stream a bar with your own key.
        {props.plan === 'sandbox' && ' Data is 10 minutes late: that is the sandbox.'}
      </p>
      {stage.t === 'failed' && (
        <Notice kind="danger" title={stage.title} isNews>
          {stage.text}
        </Notice>
      )}
      {stage.t === 'hidden' && (
        <Notice kind="info" title="The stream was closed while this page was hidden." isNews />
      )}
      <Button kind="primary" busy={stage.t === 'opening' && 'Opening'} onClick={() => void open()}>
        {stage.t === 'idle' ? 'Open a stream' : 'Try again'}
      </Button>
    </>
  );
}

function arrivedText({ instrument, fromMs, delta }: ArrivedBar): string {
  const time = new Date(fromMs).toISOString().slice(11, 16);
  const sign = delta < 0 ? '−' : '+';
  return `${instrument}, ${time} UTC, delta ${sign}${Math.abs(delta).toLocaleString('en')}.`;
}

function failureWords(error: unknown): { readonly title: string; readonly text: string } {
  if (error instanceof NoConnectionLeftError) {
    return {
      title: 'All connections of your plan are in use.',
      text: 'A program or another tab is connected with this account. Close it and try again, or see the bar there; that counts too.',
    };
  }
  const title = 'No bar arrived.';
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return {
      title,
      text: 'The market may be closed. Try again later, or look at the status page.',
    };
  }
  return { title, text: error instanceof Error ? error.message : String(error) };
}
