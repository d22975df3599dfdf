/** A form that we submit: the browser neither validates it nor leaves the page. */

import type { ComponentChildren, Ref } from 'preact';

export function Form(props: {
  readonly class?: string;
  readonly formRef?: Ref<HTMLFormElement>;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      ref={props.formRef ?? null}
      class={props.class}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
    </form>
  );
}
