/**
 * Saves the open layout two seconds after its last change, and never overwrites what another tab or a newer page has
 * saved: such a conflict stays until the reader has chosen. The first change of a page without a layout makes one.
 */

import { LAYOUT_BYTES_MAX, type Layout } from '@tapeloom/charts/spec/layout';
import type { ClientClock } from '@tapeloom/client/stream';
import { PortalError } from '../../api/portal-error.ts';
import type { LayoutView, WholeLayout } from '../../api/portal-shapes.ts';
import { Store } from './store.ts';

const SAVE_AFTER_MS = 2_000;
const TRY_AGAIN_MS = 15_000;
const FIRST_NAME = 'My charts';

/** The routes that it calls. */
export interface LayoutRoutes {
  createLayout(name: string, layout: object): Promise<LayoutView>;
  saveLayout(id: string, state: number, layout: object): Promise<LayoutView>;
  layout(id: string): Promise<WholeLayout>;
}

export type KeptState =
  /** Nothing to save yet: a first visit, or a layout out of a link. */
  | { readonly t: 'unsaved' }
  | { readonly t: 'saved' }
  | { readonly t: 'changed' }
  | { readonly t: 'saving' }
  /** Another tab or device has saved this layout meanwhile. */
  | { readonly t: 'conflict' }
  /** It is tried again. */
  | { readonly t: 'failed'; readonly text: string }
  /** It will not be tried again before the next change. */
  | { readonly t: 'refused'; readonly text: string };

export interface KeptLayout {
  /** Null: it has never been saved. */
  readonly id: string | null;
  readonly name: string;
  readonly state: KeptState;
}

interface Known {
  readonly id: string;
  readonly name: string;
  /** The number of the state that this page knows. */
  readonly number: number;
}

interface KeeperOptions {
  readonly routes: LayoutRoutes;
  readonly clock: ClientClock;
  /** A layout was created, or opened: it is the one to open next time. */
  readonly onKnown: (id: string) => void;
}

export class LayoutKeeper {
  readonly shown = new Store<KeptLayout>({ id: null, name: FIRST_NAME, state: { t: 'unsaved' } });
  readonly #options: KeeperOptions;
  #known: Known | null = null;
  #wanted: Layout | null = null;
  #timer: { cancel(): void } | null = null;
  #isSaving = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The page shows this layout as it was saved. */
  opened({ id, name, state }: LayoutView): void {
    this.#forget();
    this.#known = { id, name, number: state };
    this.#options.onKnown(id);
    this.#say({ t: 'saved' });
  }

  /** The page shows a layout that nobody has saved here. */
  unsaved(name = FIRST_NAME): void {
    this.#forget();
    this.#known = null;
    this.shown.set({ id: null, name, state: { t: 'unsaved' } });
  }

  renamed(name: string): void {
    if (this.#known === null) return;
    this.#known = { ...this.#known, name };
    this.#say(this.shown.value.state);
  }

  changed(layout: Layout): void {
    this.#wanted = layout;
    // The reader chooses first which of the two stays.
    if (this.shown.value.state.t === 'conflict') return;
    this.#say({ t: 'changed' });
    this.#later(SAVE_AFTER_MS);
  }

  /** Now, because the page is about to go or another layout opens. Resolves when it is saved or cannot be. */
  async flush(): Promise<void> {
    if (this.#timer === null) return;
    this.#stop();
    await this.#save();
  }

  /** After a conflict: this page's layout becomes the newest, and the other one an earlier state. */
  async keepMine(): Promise<void> {
    const known = this.#known;
    if (known === null || this.shown.value.state.t !== 'conflict') return;
    this.#say({ t: 'saving' });
    try {
      const { state, name } = await this.#options.routes.layout(known.id);
      this.#known = { ...known, name, number: state };
    } catch (error) {
      this.#say({ t: 'conflict' });
      throw error;
    }
    await this.#save();
  }

  /** After a conflict, or of a link: this page's layout is saved under another name, and the other one stays. */
  async saveCopy(name: string, layout: Layout): Promise<void> {
    const made = await this.#options.routes.createLayout(name, layout);
    this.opened(made);
  }

  close(): void {
    this.#forget();
  }

  #forget(): void {
    this.#stop();
    this.#wanted = null;
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #later(ms: number): void {
    this.#stop();
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      void this.#save();
    });
  }

  async #save(): Promise<void> {
    const layout = this.#wanted;
    if (layout === null) return;
    if (this.#isSaving) {
      this.#later(SAVE_AFTER_MS);
      return;
    }
    if (bytesOf(layout) > LAYOUT_BYTES_MAX) {
      this.#say({ t: 'refused', text: TOO_LARGE });
      return;
    }
    this.#isSaving = true;
    this.#say({ t: 'saving' });
    const before = this.#known;
    try {
      const saved = await this.#send(layout);
      this.#isSaving = false;
      // Another layout was opened meanwhile.
      if (this.#known !== before) return;
      this.#known = { id: saved.id, name: saved.name, number: saved.state };
      if (before === null) this.#options.onKnown(saved.id);
      const isNewest = this.#wanted === layout;
      if (isNewest) this.#wanted = null;
      this.#say({ t: isNewest ? 'saved' : 'changed' });
    } catch (error) {
      this.#isSaving = false;
      if (this.#known === before) this.#failed(error);
    }
  }

  #send(layout: Layout): Promise<LayoutView> {
    const { routes } = this.#options;
    const known = this.#known;
    if (known === null) return routes.createLayout(this.shown.value.name, layout);
    return routes.saveLayout(known.id, known.number, layout);
  }

  #failed(error: unknown): void {
    const { status = 0, code = '' } = error instanceof PortalError ? error : {};
    if (code === 'CONFLICT') {
      this.#say({ t: 'conflict' });
    } else if (code === 'NOT_FOUND') {
      // It was deleted elsewhere: the next change saves it as a new one.
      const { name } = this.shown.value;
      this.#known = null;
      this.shown.set({ id: null, name, state: { t: 'refused', text: DELETED } });
    } else if (code === 'QUOTA_EXCEEDED') {
      this.#say({ t: 'refused', text: TOO_MANY });
    } else if (status >= 400 && status < 500 && status !== 429 && status !== 401) {
      this.#say({ t: 'refused', text: messageOf(error) });
    } else {
      this.#say({ t: 'failed', text: messageOf(error) });
      this.#later(TRY_AGAIN_MS);
    }
  }

  #say(state: KeptState): void {
    const { id = null, name = this.shown.value.name } = this.#known ?? {};
    this.shown.set({ id, name, state });
  }
}

const TOO_LARGE =
  'This layout is larger than 16,000 bytes, so it is not saved. Delete some drawings, or close a chart.';
const TOO_MANY = 'Your account has 50 layouts, so this one is not saved. Delete one.';
const DELETED = 'This layout was deleted elsewhere. Your next change saves it again.';

/** Beside the name of the layout, in one word. */
export function savedWord({ t }: KeptState): string {
  switch (t) {
    case 'unsaved':
      return '';
    case 'saved':
      return 'saved';
    case 'changed':
    case 'saving':
      return 'saving';
    case 'conflict':
      return 'two versions';
    case 'failed':
    case 'refused':
      return 'not saved';
    default:
      return t satisfies never;
  }
}

/** `Morning`, `Morning 2`, `Morning 3`: the first that is free. */
export function freeName(name: string, taken: readonly string[]): string {
  const stem = name.replace(/ \d+$/, '').slice(0, 56);
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? stem : `${stem} ${count}`;
    if (!taken.includes(tried)) return tried;
  }
}

function bytesOf(layout: Layout): number {
  return new TextEncoder().encode(JSON.stringify(layout)).length;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
