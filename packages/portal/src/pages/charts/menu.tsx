/**
 * What opens from a button: a list of choices, or a small form. Arrow keys move through a list, Esc closes it, and the
 * focus returns to the button. On a phone it is a sheet from below.
 */

import { type ComponentChildren, createContext } from 'preact';
import {
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'preact/hooks';
import { DeskIcon, type DeskIconName } from './desk-icon.tsx';

type MenuKind = 'menu' | 'dialog';

/** Items of a form are buttons like any other; those of a list have its roles. */
const KindContext = createContext<MenuKind>('dialog');

export interface MenuProps {
  /** Of the opened part, and of the button if that has no words. */
  readonly label: string;
  readonly button: ComponentChildren;
  readonly buttonClass?: string;
  /** `menu`: only items that one chooses; `dialog`: fields as well. */
  readonly kind?: MenuKind;
  readonly isIconOnly?: boolean;
  readonly isAtEnd?: boolean;
  readonly opensUp?: boolean;
  readonly class?: string;
  readonly onOpen?: () => void;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu(props: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { kind = 'menu', isIconOnly = false } = props;
  const close = useCallback(() => {
    setIsOpen(false);
    button.current?.focus();
  }, []);
  useCloseOutside(place, isOpen, () => setIsOpen(false));
  return (
    <span class="menu-place" ref={place}>
      <button
        ref={button}
        type="button"
        class={props.buttonClass ?? (isIconOnly ? 'b icon-only' : 'b')}
        aria-haspopup={kind}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={isIconOnly ? props.label : undefined}
        title={isIconOnly ? props.label : undefined}
        onClick={() => {
          if (!isOpen) props.onOpen?.();
          setIsOpen(!isOpen);
        }}
      >
        {props.button}
      </button>
      {isOpen && (
        <MenuPart {...props} id={id} kind={kind} onClose={close}>
          {props.children}
        </MenuPart>
      )}
    </span>
  );
}

function MenuPart(props: MenuProps & { readonly id: string; readonly onClose: () => void }) {
  const { kind = 'menu', onClose } = props;
  const part = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const current = part.current!;
    focusFirst(current);
    // Parts of it are fetched, and others take the focused one's place.
    const observer = new MutationObserver(() => {
      if (!current.contains(document.activeElement)) focusFirst(current);
    });
    observer.observe(current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  const keyed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else if (kind === 'menu' && event.key === 'Tab') onClose();
    else if (moveFocus(part.current!, event)) event.preventDefault();
  };
  const classes = ['menu', props.class, props.isAtEnd && 'at-end', props.opensUp && 'opens-up'];
  return (
    <>
      <div class="sheet-scrim phone-only" onPointerDown={onClose} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its role is one of two that take keys. */}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both of its roles have a label. */}
      <div
        ref={part}
        id={props.id}
        class={classes.filter(Boolean).join(' ')}
        role={kind}
        aria-label={props.label}
        onKeyDown={keyed}
      >
        <KindContext.Provider value={kind}>{props.children(onClose)}</KindContext.Provider>
      </div>
    </>
  );
}

/** The field to type into, the chosen item, or the first one. */
function focusFirst(part: HTMLElement): void {
  // On a touch screen a keyboard would cover what was opened.
  const isTouch = matchMedia('(pointer: coarse)').matches;
  const first =
    (isTouch ? null : part.querySelector<HTMLElement>('.search input, [autofocus]')) ??
    part.querySelector<HTMLElement>(
      '.menu-item[aria-checked="true"], .menu-item[aria-pressed="true"]',
    ) ??
    part.querySelector<HTMLElement>('button, input:not([type="text"])');
  first?.focus();
}

/** Up and down through the items; from a field only down, where its own arrows do nothing. */
function moveFocus(part: HTMLElement, { key }: KeyboardEvent): boolean {
  if (key !== 'ArrowDown' && key !== 'ArrowUp' && key !== 'Home' && key !== 'End') return false;
  const active = document.activeElement;
  if (active instanceof HTMLInputElement && (key === 'Home' || key === 'End')) return false;
  const items = [
    ...part.querySelectorAll<HTMLElement>(
      '.menu-item:not(label), label.menu-item input, .search input',
    ),
  ];
  if (items.length === 0) return false;
  const at = items.indexOf(active as HTMLElement);
  const next =
    key === 'Home' ? 0 : key === 'End' ? items.length - 1 : at + (key === 'ArrowDown' ? 1 : -1);
  items[(next + items.length) % items.length]!.focus();
  return true;
}

function useCloseOutside(
  place: { readonly current: HTMLElement | null },
  isOpen: boolean,
  close: () => void,
): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return undefined;
    const isOutside = (target: EventTarget | null) =>
      target instanceof Node && place.current?.contains(target) !== true;
    const pressed = ({ target }: PointerEvent) => isOutside(target) && latest.current();
    const focused = ({ target }: FocusEvent) => isOutside(target) && latest.current();
    document.addEventListener('pointerdown', pressed, true);
    document.addEventListener('focusin', focused);
    return () => {
      document.removeEventListener('pointerdown', pressed, true);
      document.removeEventListener('focusin', focused);
    };
  }, [isOpen, place]);
}

export interface MenuItemProps {
  readonly icon?: DeskIconName;
  /** One of several, of which this one may be chosen. */
  readonly isChosen?: boolean;
  readonly note?: ComponentChildren;
  /** It does nothing; `note` says why. */
  readonly isOff?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function MenuItem(props: MenuItemProps) {
  const { isChosen, isOff = false, note } = props;
  const isListed = useContext(KindContext) === 'menu';
  const role = isChosen === undefined ? 'menuitem' : 'menuitemradio';
  return (
    <button
      type="button"
      class="menu-item"
      {...(isListed ? { role, 'aria-checked': isChosen } : { 'aria-pressed': isChosen })}
      aria-disabled={isOff || undefined}
      onClick={() => !isOff && props.onClick()}
    >
      {props.icon !== undefined && <DeskIcon name={props.icon} />}
      <span class="name">{props.children}</span>
      {note !== undefined && <small>{note}</small>}
    </button>
  );
}

/** A choice that is on or off, in a menu with fields. */
export function MenuCheck(props: {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="menu-item check">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span class="name">{props.children}</span>
    </label>
  );
}

/** A few values, one of them chosen. */
export function Segments<Value extends string | number>(props: {
  readonly label: string;
  readonly values: readonly (readonly [value: Value, name: ComponentChildren])[];
  readonly chosen: Value | null;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in one line everywhere.
    <div class="seg" role="group" aria-label={props.label}>
      {props.values.map(([value, name]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.chosen}
          onClick={() => props.onChoose(value)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
