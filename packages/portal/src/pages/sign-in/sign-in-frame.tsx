/** The one card of the sign-in page: the mark, a heading, and what to do. The heading takes the focus when it changes. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Mark } from '../../components/icon.tsx';
import { useTitle } from '../../shell/page-head.tsx';

/** Only what appears after the first view is news; a page that just opened has the focus where browsers put it. */
let isFirst = true;

export function SignInFrame(props: {
  /** Of the document; the heading may hold more. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly text?: ComponentChildren;
  /** The first field has the focus instead. */
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
