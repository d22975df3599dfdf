/**
 * A modal dialog, the browser's own: it keeps the focus, closes by Esc and gives the focus back to what opened it. Mount it
 * to open it, unmount it to close it. On narrow screens it is a sheet from below.
 */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { Form } from './form.tsx';

export interface DialogProps {
  readonly title: ComponentChildren;
  /** Below the title: what this is about, in a sentence. */
  readonly text?: ComponentChildren;
  /** Asked for by Esc or the cross. Leave it out where closing must be an act of its own. */
  readonly onClose?: (() => void) | undefined;
  /** Given: the content is a form, and this is its submission. */
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
        // A second Esc would close it without asking anybody.
        if (event.key === 'Escape' && props.onClose === undefined) event.preventDefault();
      }}
      onCancel={(event) => {
        // The owner of the dialog decides; it closes by being unmounted.
        event.preventDefault();
        props.onClose?.();
      }}
    >
      {props.onSubmit === undefined ? parts : <Form onSubmit={props.onSubmit}>{parts}</Form>}
    </dialog>
  );
}
