/** How the portal looks in this browser: its theme, and the colours of charts. */

import { useState } from 'preact/hooks';
import {
  chooseDyes,
  chooseTheme,
  type Dyes,
  dyesNow,
  type Theme,
  themeNow,
} from '../../shell/theme.ts';

const THEMES: readonly Choice<Theme>[] = [
  { value: 'system', name: 'As the system', text: 'Light by day, dark by night, if it does so.' },
  { value: 'light', name: 'Light', text: 'Ink on linen.' },
  { value: 'dark', name: 'Dark', text: 'The loom room by night.' },
];

const DYES: readonly Choice<Dyes>[] = [
  { value: 'woad', name: 'Woad and madder', text: 'Blue bought, orange sold. Plain to every eye.' },
  { value: 'classic', name: 'Classic green and red', text: 'Harder to tell apart for some eyes.' },
];

export function AppearanceCard() {
  const [theme, setTheme] = useState(themeNow);
  const [dyes, setDyes] = useState(dyesNow);
  return (
    <section class="card" aria-labelledby="appearance-title">
      <div class="card-head">
        <h2 id="appearance-title">Appearance</h2>
        <span class="small faint">Kept in this browser</span>
      </div>
      <div class="card-body stack">
        <Choices
          legend="Theme"
          name="theme"
          choices={THEMES}
          chosen={theme}
          onChoose={(value) => {
            chooseTheme(value);
            setTheme(value);
          }}
        />
        <Choices
          legend="Colours of charts"
          name="dyes"
          choices={DYES}
          chosen={dyes}
          onChoose={(value) => {
            chooseDyes(value);
            setDyes(value);
          }}
        />
        <DyeSample />
      </div>
    </section>
  );
}

interface Choice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  readonly text: string;
}

function Choices<Value extends string>(props: {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly Choice<Value>[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      <div class="choices">
        {props.choices.map(({ value, name, text }) => (
          <label class="choice" key={value}>
            <input
              type="radio"
              name={props.name}
              value={value}
              checked={props.chosen === value}
              onChange={() => props.onChoose(value)}
            />
            <b>{name}</b>
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** What the colours mean, in the colours. */
function DyeSample() {
  return (
    <p class="dye-sample small">
      <span class="dye bid">Sold at the bid</span>
      <span class="dye ask">Bought at the ask</span>
    </p>
  );
}
