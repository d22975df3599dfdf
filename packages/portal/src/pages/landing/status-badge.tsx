/** The service's state in three words, linked to the status page. */

import { portalApi } from '../../api/portal-api.ts';
import type { StatusView } from '../../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';

export function StatusBadge() {
  const [level, words] = statusWords(useLoaded((signal) => portalApi.status({ signal })));
  return (
    <a class={`badge ${level}`} href="/status">
      <span class="dot" />
      {words}
    </a>
  );
}

function statusWords(status: Loaded<StatusView>): readonly [level: string, words: string] {
  if (status.error !== null) return ['warn', 'The service does not respond'];
  if (status.value === null) return ['', 'Service status'];
  const { instruments, engine } = status.value;
  const isTroubled = instruments.some(({ state }) => state === 'down');
  if (engine.state !== 'up') return ['warn', 'The engine is not up'];
  return isTroubled ? ['warn', 'Some instruments are down'] : ['ok', 'All systems up'];
}
