/** The top of a page: its one heading, which is also the document's title, and what one can do here. */

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

/** For pages whose heading looks different. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = `${title} · Tapeloom`;
  }, [title]);
}
