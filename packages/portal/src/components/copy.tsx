/** Copies a text; the button says so for two seconds. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonKind } from './button.tsx';

const COPIED_MS = 2_000;

export function Copy(props: {
  /** Asked for at the click, so that a secret is in no attribute. */
  readonly text: () => string;
  readonly label?: string;
  readonly kind?: ButtonKind;
  readonly size?: 'sm' | 'lg';
  readonly class?: string;
  readonly isAutoFocused?: boolean;
}) {
  const { label = 'Copy', kind = 'ghost' } = props;
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const copy = async () => {
    setState((await copyText(props.text())) ? 'copied' : 'failed');
    clearTimeout(timer.current ?? undefined);
    timer.current = setTimeout(() => setState('idle'), COPIED_MS);
  };
  return (
    <>
      <Button
        kind={kind}
        icon={state === 'copied' ? 'check' : 'copy'}
        isAutoFocused={props.isAutoFocused ?? false}
        onClick={() => void copy()}
        {...(props.size === undefined ? {} : { size: props.size })}
        {...(props.class === undefined ? {} : { class: props.class })}
      >
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select and copy' : label}
      </Button>
      <span class="visually-hidden" role="status">
        {state === 'copied' && 'Copied'}
        {state === 'failed' && 'The browser refused to copy. Select the text and copy it.'}
      </span>
    </>
  );
}

/** False: the browser refuses, as it does outside of a secure context. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
