/** Elements made by script: text is set as text, so nothing that arrives can become markup. */

export interface ElementParts {
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly (Node | string)[];
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  { text, attributes = {}, children = [] }: ElementParts = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

export function button(className: string, text: string, press: () => void): HTMLButtonElement {
  const made = element('button', className, { text, attributes: { type: 'button' } });
  made.addEventListener('click', press);
  return made;
}

/** Moves a card; `view.css` makes a transform of it, or a sheet on a phone. */
export function place(card: HTMLElement, x: number, y: number): void {
  card.style.setProperty('--tl-x', `${Math.round(x)}px`);
  card.style.setProperty('--tl-y', `${Math.round(y)}px`);
}
