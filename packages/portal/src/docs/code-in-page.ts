/** Adds scripts to code blocks: a copy button, and tabs for blocks that belong together. */

import { sessionChoice } from '../components/stored-choice.ts';

const COPIED_MS = 2_000;
const language = sessionChoice('tapeloom.docs-language');
let tabLists = 0;

export function addCopy(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'docs-copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const text = block.querySelector('code')?.textContent ?? '';
    navigator.clipboard.writeText(text).then(
      () => {
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, COPIED_MS);
      },
      () => {
        button.textContent = 'Select it to copy';
      },
    );
  });
  block.querySelector('.docs-code-head')?.append(button);
}

/** Arrow keys switch tabs. The choice applies to the other blocks of the visit. */
export function makeTabs(group: HTMLElement): void {
  const panels = [...group.querySelectorAll<HTMLElement>('.docs-code')];
  const list = document.createElement('div');
  list.className = 'docs-tablist';
  list.role = 'tablist';
  list.ariaLabel = 'Languages';
  tabLists += 1;
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.role = 'tab';
    tab.id = `docs-tab-${tabLists}-${index}`;
    tab.textContent = panel.querySelector('.docs-code-head span')?.textContent ?? '';
    panel.id = `docs-panel-${tabLists}-${index}`;
    panel.role = 'tabpanel';
    panel.setAttribute('aria-labelledby', tab.id);
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => choose(index));
    list.append(tab);
    return tab;
  });
  const show = (chosen: number) => {
    for (const [index, tab] of tabs.entries()) {
      tab.ariaSelected = String(index === chosen);
      tab.tabIndex = index === chosen ? 0 : -1;
      // A class instead of `hidden`: all panels are printed.
      panels[index]!.classList.toggle('docs-other', index !== chosen);
    }
  };
  const choose = (chosen: number) => {
    const name = tabs[chosen]!.textContent!;
    language.write(name);
    show(chosen);
    tabs[chosen]!.focus();
    document.dispatchEvent(new CustomEvent('docs-language', { detail: name }));
  };
  document.addEventListener('docs-language', (event) => {
    const same = tabs.findIndex((tab) => tab.textContent === (event as CustomEvent).detail);
    if (same !== -1) show(same);
  });
  list.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.indexOf(event.target as HTMLButtonElement);
    choose((at + step + tabs.length) % tabs.length);
  });
  const kept = tabs.findIndex((tab) => tab.textContent === language.read());
  show(Math.max(kept, 0));
  group.prepend(list);
  group.dataset.isReady = '';
}
