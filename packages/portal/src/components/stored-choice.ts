/** A choice of the visitor, kept by the browser where it may be; where it may not, it holds for the page. */

export interface StoredChoice {
  read(): string | null;
  /** Null: as if never chosen. */
  write(value: string | null): void;
}

/** For good. */
export function storedChoice(name: string): StoredChoice {
  return choiceIn(() => localStorage, name);
}

/** For the visit. */
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
        // Storage is full or switched off.
      }
    },
  };
}
