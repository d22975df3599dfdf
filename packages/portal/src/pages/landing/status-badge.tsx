/** How the service is, in three words, with a link to the whole of it. */

import { useEffect, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { StatusView } from '../../api/portal-shapes.ts';

type Known = StatusView | 'asked' | 'silent';

export function StatusBadge() {
  const [known, setKnown] = useState<Known>('asked');
  useEffect(() => {
    portalApi.status().then(setKnown, () => setKnown('silent'));
  }, []);
  const [level, words] = statusWords(known);
  return (
    <a class={`badge ${level}`} href="/status">
      <span class="dot" />
      {words}
    </a>
  );
}

function statusWords(known: Known): readonly [level: string, words: string] {
  if (known === 'asked') return ['', 'Service status'];
  if (known === 'silent') return ['warn', 'No answer from the service'];
  const isTroubled = known.instruments.some(({ state }) => state === 'down');
  if (known.engine.state !== 'up') return ['warn', 'The engine is not up'];
  return isTroubled ? ['warn', 'Some instruments are down'] : ['ok', 'All systems up'];
}
