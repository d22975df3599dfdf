/** A visitor's choice, stored by the browser if possible; otherwise it lasts for the page. */

export interface StoredChoice {
  read(): string | null;
  /** Null resets the choice. */
  write(value: string | null): void;
}

/** Stored permanently. */
export function storedChoice(name: string): StoredChoice {
  return choiceIn(() => localStorage, name);
}

/** Stored for the visit. */
export function sessionChoice(name: string): StoredChoice {
  return choiceIn(() => sessionStorage, name);
}

function choiceIn(storage: () => Storage, name: string): StoredChoice {
  let kept: string | null = null;
  return {
    read: () => {
      try {
        return storage().getItem(name);
      } catch {
        return kept;
      }
    },
    write: (value) => {
      kept = value;
      try {
        if (value === null) storage().removeItem(name);
        else storage().setItem(name, value);
      } catch {
        // Storage is full or disabled.
      }
    },
  };
}
