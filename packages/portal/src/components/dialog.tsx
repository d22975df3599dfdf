/**
 * A modal dialog, the browser's own: it traps the focus, closes on Esc and returns the focus to its opener. Mounting
 * opens it, unmounting closes it. On narrow screens it is a sheet at the bottom.
 */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { Form } from './form.tsx';

export interface DialogProps {
  readonly title: ComponentChildren;
  /** The subject in a sentence, below the title. */
  readonly text?: ComponentChildren;
  /** Called on Esc or the cross. Omit it if closing must be a deliberate act. */
  readonly onClose?: (() => void) | undefined;
  /** If given, the content is a form, and this is its submission. */
  readonly onSubmit?: (() => void) | undefined;
  readonly foot: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Dialog(props: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  const parts = (
    <>
      <div class="dialog-head">
        <div>
          <h2 id={titleId}>{props.title}</h2>
          {props.text !== undefined && <p>{props.text}</p>}
        </div>
        {props.onClose !== undefined && (
          <Button kind="ghost" icon="x" label="Close" onClick={props.onClose} />
        )}
      </div>
      {props.children !== undefined && <div class="dialog-body">{props.children}</div>}
      <div class="dialog-foot">{props.foot}</div>
    </>
  );
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      closedby={props.onClose === undefined ? 'none' : 'closerequest'}
      onKeyDown={(event) => {
        // A second Esc would close it without an event.
        if (event.key === 'Escape' && props.onClose === undefined) event.preventDefault();
      }}
      onCancel={(event) => {
        // The parent decides; it closes the dialog by unmounting it.
        event.preventDefault();
        props.onClose?.();
      }}
    >
      {props.onSubmit === undefined ? parts : <Form onSubmit={props.onSubmit}>{parts}</Form>}
    </dialog>
  );
}
