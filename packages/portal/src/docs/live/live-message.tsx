/** The newest message of a stream, for readers who want to see what a program receives. */

import type { LiveStream } from './live-stream.ts';

export function NewestMessage({ stream }: { readonly stream: LiveStream }) {
  const { newest, messages } = stream;
  return (
    <figure class="live-message">
      <figcaption>
        Newest message<span class="num">{messages.toLocaleString('en')} so far</span>
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: it is no set of fields, but it needs a name. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it. */}
      <pre tabIndex={0} role="group" aria-label="Newest message, JSON">
        <code>{newest === null ? '…' : withBreaks(newest)}</code>
      </pre>
    </figure>
  );
}

/** Breaks the line before the data, so that numbers start on a line of their own. */
function withBreaks(text: string): string {
  return text.replace(',"data":', ',\n "data":').replace(',"items":', ',\n "items":');
}
