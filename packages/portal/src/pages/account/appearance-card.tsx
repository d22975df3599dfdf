/** The portal's appearance in this browser: its theme, and the colours of charts. */

import { useState } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { type Choice, Choices } from '../../components/choices.tsx';
import {
  chooseDyes,
  chooseTheme,
  type Dyes,
  dyesNow,
  type Theme,
  themeNow,
} from '../../shell/theme.ts';

const THEMES: readonly Choice<Theme>[] = [
  { value: 'system', name: 'As the system', text: 'Follows the setting of your system.' },
  { value: 'light', name: 'Light', text: 'Ink on linen.' },
  { value: 'dark', name: 'Dark', text: 'The loom room by night.' },
];

const DYES: readonly Choice<Dyes>[] = [
  {
    value: 'woad',
    name: 'Woad and madder',
    text: 'Blue for buys, orange for sells. Clear for every kind of colour vision.',
  },
  {
    value: 'classic',
    name: 'Classic green and red',
    text: 'Harder to tell apart for some people.',
  },
];

export function AppearanceCard() {
  const [theme, setTheme] = useState(themeNow);
  const [dyes, setDyes] = useState(dyesNow);
  return (
    <Card
      title="Appearance"
      titleId="appearance-title"
      aside={<span class="small faint">Stored in this browser</span>}
      body="card-body stack"
    >
      <fieldset>
        <legend>Theme</legend>
        <Choices
          name="theme"
          choices={THEMES}
          chosen={theme}
          onChoose={(value) => {
            chooseTheme(value);
            setTheme(value);
          }}
        />
      </fieldset>
      <fieldset>
        <legend>Colours of charts</legend>
        <Choices
          name="dyes"
          choices={DYES}
          chosen={dyes}
          onChoose={(value) => {
            chooseDyes(value);
            setDyes(value);
          }}
        />
      </fieldset>
      <DyeSample />
    </Card>
  );
}

/** The meanings of the colours, in the colours. */
function DyeSample() {
  return (
    <p class="dye-sample small">
      <span class="dye bid">Sold at the bid</span>
      <span class="dye ask">Bought at the ask</span>
    </p>
  );
}
