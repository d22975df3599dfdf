/** The newest message of a stream, for who wants to see what a program gets. */

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

/** What a message is about on one line, its numbers on the next. */
function withBreaks(text: string): string {
  return text.replace(',"data":', ',\n "data":').replace(',"items":', ',\n "items":');
}
