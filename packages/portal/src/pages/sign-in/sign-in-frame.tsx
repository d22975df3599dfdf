/** The sign-in page's card: the mark, a heading, and the next step. A changed heading takes the focus. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Mark } from '../../components/icon.tsx';
import { useTitle } from '../../shell/page-head.tsx';

/** Only later views move the focus; a freshly opened page leaves it to the browser. */
let isFirst = true;

export function SignInFrame(props: {
  /** The document's title; the heading may contain more. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly text?: ComponentChildren;
  /** The first field takes the focus instead. */
  readonly hasField?: boolean;
  readonly children?: ComponentChildren;
}) {
  const { title, hasField = false } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => {
    if (!isFirst && !hasField) heading.current?.focus();
    isFirst = false;
  }, [hasField]);
  return (
    <section class="sign-in-card" aria-labelledby="sign-in-title">
      <Mark isLarge />
      <h1 id="sign-in-title" ref={heading} tabIndex={-1}>
        {props.heading ?? title}
      </h1>
      {props.text !== undefined && <p class="sign-in-text">{props.text}</p>}
      {props.children}
    </section>
  );
}
