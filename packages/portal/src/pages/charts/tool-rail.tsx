/** The tools at the left edge: crosshair, range, drawings; snapping, hiding and deleting them. */

import type { Tool } from '@tapeloom/charts/view/view-options';
import { showToast } from '../../components/toast.tsx';
import { useDesk, useSeat } from './desk-context.tsx';
import { DeskIcon, type DeskIconName } from './desk-icon.tsx';
import { useStore } from './use-store.ts';

export const TOOL_FACTS: readonly (readonly [
  tool: Tool,
  icon: DeskIconName,
  name: string,
  key: string,
])[] = [
  ['crosshair', 'crosshair', 'Crosshair', 'Esc'],
  ['range', 'range', 'Range profile', 'R'],
  ['line', 'line', 'Horizontal line', 'H'],
  ['trend', 'trend', 'Trend line', 'T'],
  ['rectangle', 'rectangle', 'Rectangle', 'B'],
  ['text', 'text', 'Text', 'X'],
  ['measure', 'measure', 'Measure', 'M'],
];

export function ToolRail() {
  const desk = useDesk();
  const { spec } = useSeat();
  const { tool, isSnapping, areDrawingsHidden } = useStore(desk.ui);
  return (
    <nav class="desk-rail" aria-label="Drawing tools">
      {TOOL_FACTS.map(([name, icon, words, key], at) => (
        <>
          {at === 2 && <hr />}
          <RailButton
            key={name}
            icon={icon}
            label={`${words} (${key})`}
            isPressed={tool === name}
            onClick={() => desk.setTool(name)}
          />
        </>
      ))}
      <hr />
      <RailButton
        icon="magnet"
        label="Snap to prices"
        isPressed={isSnapping}
        onClick={() => desk.setSnapping(!isSnapping)}
      />
      <span class="grow" />
      <RailButton
        icon={areDrawingsHidden ? 'eye-off' : 'eye'}
        label={areDrawingsHidden ? 'Show drawings' : 'Hide drawings'}
        isPressed={areDrawingsHidden}
        onClick={() => desk.hideDrawings(!areDrawingsHidden)}
      />
      <RailButton
        icon="trash"
        label="Delete all drawings of this chart"
        isOff={spec.drawings.length === 0}
        onClick={() => {
          desk.inUse.view?.deleteAllDrawings();
          showToast('All drawings deleted. Ctrl Z brings them back.');
        }}
      />
    </nav>
  );
}

function RailButton(props: {
  readonly icon: DeskIconName;
  readonly label: string;
  readonly isPressed?: boolean;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}) {
  const { isOff = false } = props;
  return (
    <button
      type="button"
      class="b icon-only"
      aria-label={props.label}
      title={props.label}
      aria-pressed={props.isPressed}
      aria-disabled={isOff || undefined}
      onClick={() => !isOff && props.onClick()}
    >
      <DeskIcon name={props.icon} />
    </button>
  );
}
