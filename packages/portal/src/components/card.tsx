/** A card: its heading, to the right of it a button or a short fact, and what it is about below. */

import type { ComponentChildren } from 'preact';

export function Card(props: {
  readonly title: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly id?: string;
  /** Of the heading, which then names the card as a part of the page. */
  readonly titleId?: string;
  /** The class of what is around the children; without one they stand in the card itself, as tables do. */
  readonly body?: string;
  readonly children?: ComponentChildren;
}) {
  const { titleId, body, children } = props;
  return (
    <section class="card" id={props.id} aria-labelledby={titleId}>
      <div class="card-head">
        <h2 id={titleId}>{props.title}</h2>
        {props.aside}
      </div>
      {body === undefined ? children : <div class={body}>{children}</div>}
    </section>
  );
}
