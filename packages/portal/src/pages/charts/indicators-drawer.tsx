/** The drawer of indicators: found by name or preset; a row opens its form, and the chart shows at once what it means. */

import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { useState } from 'preact/hooks';
import { useDesk, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import type { DrawerState } from './desk-ui.ts';
import { DrawerFrame } from './drawer-frame.tsx';
import { Glyph } from './glyph.tsx';
import { INDICATOR_FACTS } from './indicator-facts.ts';
import { IndicatorFoot } from './indicator-foot.tsx';
import { IndicatorForm } from './indicator-form-view.tsx';
import { listedGroups } from './indicator-search.ts';
import { isOnChart } from './item-changes.ts';
import { useIndicatorForm } from './use-indicator-form.ts';

type Shown = Extract<DrawerState, { t: 'indicators' }>;

export function IndicatorsDrawer({ drawer }: { readonly drawer: Shown }) {
  const desk = useDesk();
  const [typed, setTyped] = useState('');
  const definition = drawer.open === null ? null : desk.definition(drawer.open);
  const { catalogue } = desk.facts;
  const form = useIndicatorForm(definition, drawer.editing);
  const groups =
    drawer.editing === null || definition === null
      ? listedGroups(catalogue, typed)
      : [{ name: '', indicators: [definition] }];
  const isEditing = drawer.editing !== null;
  const title = isEditing ? `Edit ${definition?.name ?? drawer.open}` : 'Add an indicator';
  return (
    <DrawerFrame
      title={title}
      head={
        !isEditing && (
          <label class="search">
            <DeskIcon name="search" />
            <input
              autofocus={drawer.isSearching}
              type="text"
              placeholder={`Search ${catalogue.length} indicators and presets`}
              aria-label="Search indicators and presets"
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <kbd>/</kbd>
          </label>
        )
      }
      foot={definition !== null && <IndicatorFoot form={form} />}
    >
      {groups.map((group) => (
        <section key={group.name} aria-label={group.name || title}>
          {group.name !== '' && <h3 class="drawer-group">{group.name}</h3>}
          {group.indicators.map((indicator) => (
            <IndicatorRow key={indicator.id} definition={indicator} drawer={drawer}>
              {indicator.id === drawer.open && <IndicatorForm form={form} />}
            </IndicatorRow>
          ))}
        </section>
      ))}
      {groups.length === 0 && (
        <p class="drawer-empty" role="status">
          No indicator or preset has these words.
        </p>
      )}
      {isEditing && definition === null && (
        <p class="drawer-empty">
          This page does not know {drawer.open} yet. The service does not list it either.
        </p>
      )}
    </DrawerFrame>
  );
}

function IndicatorRow(props: {
  readonly definition: IndicatorDefinition;
  readonly drawer: Shown;
  readonly children: preact.ComponentChildren;
}) {
  const { definition, drawer } = props;
  const { id, name } = definition;
  const desk = useDesk();
  const { spec } = useSeat();
  const isOpen = drawer.open === id;
  const say = INDICATOR_FACTS[id]?.say ?? `This page does not know ${name} yet: a table shows it`;
  const toggle = () => desk.openDrawer({ ...drawer, open: isOpen ? null : id, isSearching: false });
  return (
    <>
      {drawer.editing === null ? (
        <button type="button" class="indicator" aria-expanded={isOpen} onClick={toggle}>
          <Glyph indicator={id} />
          <b>{name}</b>
          <span>{say}</span>
          {isOnChart(spec, id) && <em>on chart</em>}
        </button>
      ) : (
        <div class="indicator">
          <Glyph indicator={id} />
          <b>{name}</b>
          <span>{say}</span>
        </div>
      )}
      {props.children}
    </>
  );
}
