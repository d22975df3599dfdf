/** The same code in several languages: arrow keys switch, and the choice lasts for the visit. */

import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Copy } from './copy.tsx';
import { sessionChoice } from './stored-choice.ts';

export interface CodeTab {
  /** Stored as the visitor's choice: `node`, `browser`, `python`, `curl`. */
  readonly id: string;
  readonly label: string;
  /** The text that Copy copies. */
  readonly text: string;
  /** The coloured form to show, if there is one. */
  readonly content?: ComponentChildren;
}

const language = sessionChoice('tapeloom.language');

export function CodeTabs(props: { readonly label: string; readonly tabs: readonly CodeTab[] }) {
  const { tabs } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(() => language.read());
  const at = Math.max(
    tabs.findIndex((tab) => tab.id === chosen),
    0,
  );
  const shown = tabs[at]!;
  const choose = (index: number) => {
    const tab = tabs[(index + tabs.length) % tabs.length]!;
    language.write(tab.id);
    setChosen(tab.id);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${tab.id}`)}`)?.focus();
  };
  return (
    <div class="code">
      <div class="code-bar">
        <div
          ref={list}
          role="tablist"
          aria-label={props.label}
          onKeyDown={(event) => {
            const to = keyTarget(event.key, at, tabs.length);
            if (to === null) return;
            event.preventDefault();
            choose(to);
          }}
        >
          {tabs.map((tab, index) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${id}-${tab.id}`}
              aria-selected={index === at}
              aria-controls={`${id}-panel`}
              tabIndex={index === at ? 0 : -1}
              onClick={() => choose(index)}
            >
              {tab.label}
            </button>
          ))}
        </div>
        <Copy class="copy" size="sm" text={() => shown.text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <pre id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${shown.id}`} tabIndex={0}>
        <code>{shown.content ?? shown.text}</code>
      </pre>
    </div>
  );
}

function keyTarget(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight') return at + 1;
  if (key === 'ArrowLeft') return at - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
