/** Copies a text; the button confirms it for two seconds. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './button.tsx';

const COPIED_MS = 2_000;

export function Copy(
  props: Pick<ButtonProps, 'kind' | 'size' | 'class' | 'isAutoFocused'> & {
    /** Called at the click, so that no attribute contains a secret. */
    readonly text: () => string;
    readonly label?: string;
  },
) {
  const { text, label = 'Copy', ...looks } = props;
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const copy = async () => {
    setState((await copyText(text())) ? 'copied' : 'failed');
    clearTimeout(timer.current ?? undefined);
    timer.current = setTimeout(() => setState('idle'), COPIED_MS);
  };
  return (
    <>
      <Button
        kind="ghost"
        {...looks}
        icon={state === 'copied' ? 'check' : 'copy'}
        onClick={() => void copy()}
      >
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select and copy' : label}
      </Button>
      <span class="visually-hidden" role="status">
        {state === 'copied' && 'Copied'}
        {state === 'failed' && 'The browser did not allow copying. Select the text and copy it.'}
      </span>
    </>
  );
}

/** False: the browser rejects it, as it does outside a secure context. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
