/** A page's top: its heading, which is also the document's title, and its actions. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

export function PageHead(props: {
  readonly title: string;
  /** Buttons and short facts, to the right. */
  readonly children?: ComponentChildren;
}) {
  useTitle(props.title);
  return (
    <div class="page-head">
      <h1 tabIndex={-1}>{props.title}</h1>
      {props.children}
    </div>
  );
}

/** For pages with a different heading. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = `${title} · Tapeloom`;
  }, [title]);
}
