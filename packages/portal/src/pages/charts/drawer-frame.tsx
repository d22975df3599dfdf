/** The frame of the drawer: it names itself, takes the focus when it opens, and gives it back when it closes. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useDesk } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';

export function DrawerFrame(props: {
  readonly title: string;
  /** Below the title; it stays while the rest scrolls. */
  readonly head?: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const desk = useDesk();
  const id = useId();
  const close = () => desk.openDrawer(null);
  const part = useFocusWithin();
  return (
    <>
      <div class="sheet-scrim phone-only" onPointerDown={close} />
      <aside
        class="drawer"
        ref={part}
        aria-labelledby={id}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          close();
        }}
      >
        <div>
          <header>
            <h2 id={id}>{props.title}</h2>
            <button type="button" class="b icon-only" aria-label="Close" onClick={close}>
              <DeskIcon name="close" />
            </button>
          </header>
          {props.head}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
        {/* biome-ignore lint/a11y/useSemanticElements: a section would need a heading of its own. */}
        <div class="drawer-scroll" role="region" aria-labelledby={id} tabIndex={0}>
          {props.children}
        </div>
        {props.foot !== undefined && <footer>{props.foot}</footer>}
      </aside>
    </>
  );
}

function useFocusWithin() {
  const desk = useDesk();
  const part = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const wanted = part.current?.querySelector<HTMLElement>('[autofocus]');
    (wanted ?? part.current?.querySelector<HTMLElement>('button'))?.focus();
    return () => {
      // Only if the focus went with the drawer.
      if (document.activeElement !== document.body && document.activeElement !== null) return;
      if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) {
        opener.focus();
      } else desk.inUse.view?.focus();
    };
  }, [desk]);
  return part;
}
