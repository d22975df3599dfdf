/** A choice of a few options, each with a sentence about it. */

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  readonly text: string;
}

export function Choices<Value extends string>(props: {
  /** The name of the input group. */
  readonly name: string;
  readonly choices: readonly Choice<Value>[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
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
  );
}
