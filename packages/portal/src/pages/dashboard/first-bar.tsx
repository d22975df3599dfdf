/** Opens a stream on a click and tells of the first bar. Nothing is opened by itself, and a hidden page holds nothing open. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Plan } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { type ArrivedBar, firstBar } from './first-bar-stream.ts';

type Stage =
  | { readonly t: 'idle' }
  | { readonly t: 'opening' }
  | { readonly t: 'hidden' }
  | { readonly t: 'failed'; readonly text: string }
  | { readonly t: 'arrived'; readonly bar: ArrivedBar };

export function FirstBar(props: { readonly plan: Plan; readonly onArrived: () => void }) {
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
      if (!abort.signal.aborted) setStage({ t: 'arrived', bar });
    } catch (error) {
      if (!abort.signal.aborted) setStage({ t: 'failed', text: failureText(error) });
    }
    if (opened.current === abort) opened.current = null;
  };

  if (stage.t === 'arrived') {
    return (
      <>
        <Notice kind="ok" title="Your first bar arrived." isNews>
          {arrivedText(stage.bar)}
        </Notice>
        <Button onClick={props.onArrived}>Go on</Button>
      </>
    );
  }
  return (
    <>
      <p>
        Open a stream here, with a token of this session.
        {props.plan === 'sandbox' && ' Data is 10 minutes late: that is the sandbox.'}
      </p>
      {stage.t === 'failed' && (
        <Notice kind="danger" title="No bar came." isNews>
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

function failureText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'TOO_MANY_CONNECTIONS') {
    return 'All connections of your plan are in use. Close one, and try again.';
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'The market may be closed. Try again later, or look at the status page.';
  }
  return error instanceof Error ? error.message : String(error);
}
