/** A card: its heading, an optional button or short fact to the right of it, and the content below. */

import type { ComponentChildren } from 'preact';

export function Card(props: {
  readonly title: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly id?: string;
  /** The heading's id, which then names the card as a region of the page. */
  readonly titleId?: string;
  /** The class of the wrapper around the children; without one, they are in the card itself, as tables are. */
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
