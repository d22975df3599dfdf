/**
 * A notice stays beside its cause, with one action at most. An error also shows its code and request id, for support.
 */

import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PortalError } from '../api/portal-error.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

export type NoticeKind = 'info' | 'ok' | 'warn' | 'danger';

export function Notice(props: {
  readonly kind: NoticeKind;
  /** What happened, as a sentence. */
  readonly title: ComponentChildren;
  /** What it means and what to do. */
  readonly children?: ComponentChildren;
  /** One button. */
  readonly action?: ComponentChildren;
  /** Announced by screen readers at once: for notices that appear after a click. */
  readonly isNews?: boolean;
  readonly noticeRef?: Ref<HTMLDivElement>;
}) {
  const icon = props.kind === 'ok' ? 'check' : props.kind === 'info' ? 'info' : 'warn';
  const role = props.isNews ? (props.kind === 'danger' ? 'alert' : 'status') : undefined;
  return (
    <div ref={props.noticeRef ?? null} class={`notice ${props.kind}`} role={role}>
      <Icon name={icon} />
      <div>
        <b>{props.title}</b> {props.children && <span class="muted">{props.children}</span>}
      </div>
      {props.action && <span class="act">{props.action}</span>}
    </div>
  );
}

/** The error of an action; renders nothing without one. Errors of fields belong to their fields. */
export function ErrorNotice(props: {
  readonly title: string;
  readonly error: PortalError | null;
  /** Replaces the service's message. */
  readonly text?: string;
}) {
  const { error } = props;
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // At the end of a long dialog the notice would be out of sight, and the button would seem to do nothing.
    if (error !== null) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (error === null) return null;
  return (
    <Notice kind="danger" title={props.title} isNews noticeRef={ref}>
      {error.status === 401 ? <SignedOutText /> : (props.text ?? error.message)}{' '}
      <ErrorCodeLine error={error} />
    </Notice>
  );
}

/** The session belongs to the browser, not to the tab: signing in in another tab restores this one too. */
function SignedOutText() {
  return (
    <>
      You are signed out.{' '}
      <a href="/sign-in" target="_blank" rel="noopener">
        Sign in in another tab
      </a>
      , and try again here: what you typed stays.
    </>
  );
}

/** Replaces content that could not be loaded. */
export function LoadError(props: {
  readonly title: string;
  readonly error: PortalError;
  /** Replaces the service's message. */
  readonly text?: string;
  readonly onRetry: () => void;
  /** What still works. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="card empty" role="alert">
      <h2>{props.title}</h2>
      <p>
        {props.text ?? props.error.message} {props.children}
      </p>
      <Button onClick={props.onRetry}>Try again</Button>
      <ErrorCodeLine error={props.error} />
    </div>
  );
}

function ErrorCodeLine({ error }: { readonly error: PortalError }) {
  return (
    <code class="tiny faint">
      {error.code}
      {error.requestId !== null && ` · request ${error.requestId}`}
    </code>
  );
}
