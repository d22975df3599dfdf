/**
 * A button, or a link with its looks. A busy button ignores clicks. One that is off stays focusable, for its reason.
 */

import type { ComponentChildren, Ref, TargetedMouseEvent } from 'preact';
import type { Action } from '../api/use-action.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';

export type ButtonKind = 'primary' | 'secondary' | 'ghost' | 'danger' | 'danger-quiet';

interface Looks {
  /** One primary button per view. */
  readonly kind?: ButtonKind;
  readonly size?: 'sm' | 'lg';
  readonly icon?: IconName;
  readonly isBlock?: boolean;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

export interface ButtonProps extends Looks {
  readonly type?: 'button' | 'submit';
  /** Replaces the label during the action: the present activity, as "Creating". */
  readonly busy?: string | false;
  /** The button does nothing; the reason is shown nearby, and the button stays focusable. */
  readonly isOff?: boolean;
  /** Required without text. */
  readonly label?: string;
  readonly describedBy?: string;
  readonly isAutoFocused?: boolean;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

export function Button(props: ButtonProps) {
  const { type = 'button', busy = false, isOff = false, icon, label, onClick, children } = props;
  const isBusy = busy !== false;
  const click = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (isBusy || isOff) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      ref={props.buttonRef ?? null}
      type={type}
      class={classOf(props)}
      aria-label={label}
      aria-busy={isBusy || undefined}
      aria-disabled={isOff || undefined}
      aria-describedby={props.describedBy}
      autofocus={props.isAutoFocused}
      onClick={click}
    >
      {icon !== undefined && !isBusy && <Icon name={icon} />}
      {isBusy ? busy : children}
    </button>
  );
}

/** Starts an action on a click, and shows `busy` while it runs. */
export function ActionButton(
  props: Omit<ButtonProps, 'busy' | 'onClick'> & {
    readonly action: Action<[]>;
    readonly busy: string;
  },
) {
  const { action, busy, ...button } = props;
  return <Button {...button} busy={action.isBusy && busy} onClick={() => void action.run()} />;
}

export interface ButtonLinkProps extends Looks {
  readonly href: string;
  /** Saves the target, under this name or the server's. */
  readonly download?: boolean | string;
}

export function ButtonLink(props: ButtonLinkProps) {
  return (
    <a class={classOf(props)} href={props.href} download={props.download}>
      {props.icon !== undefined && <Icon name={props.icon} />}
      {props.children}
    </a>
  );
}

function classOf({ kind = 'secondary', size, isBlock, class: own, icon, children }: Looks): string {
  const parts = ['btn', kind, size, isBlock && 'block', own];
  if (icon !== undefined && children === undefined) parts.push('icon-only');
  return parts.filter(Boolean).join(' ');
}
