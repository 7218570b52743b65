/** A text in which `${NAME}` and `${NAME:-default}` were replaced. */
export interface Substituted {
  readonly text: string;
  /** True for a text that was nothing but one reference. */
  readonly isWhole: boolean;
  /** True where a variable was named: false for a text in which only `$$` was replaced. */
  readonly hasReference: boolean;
  /** References that could not be replaced, as they are written. */
  readonly faults: readonly SubstitutionFault[];
}

/** Why a reference could not be replaced. */
export interface SubstitutionFault {
  readonly reference: string;
  /** Where it begins in the text. */
  readonly offset: number;
  readonly kind: 'unset' | 'malformed';
  /** The name of the variable; empty where it is malformed. */
  readonly name: string;
}

const REFERENCE = /\$\$|\$\{[^}]*\}?/g;
const PARTS = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?\}$/;

/**
 * Replaces `${NAME}`, and `${NAME:-default}` where the variable is not set or empty; `$$` is one `$`. Any other `$` stays. References do not nest.
 *
 * @param read the value of a variable; `undefined` for one that is not set
 */
export function substituteVariables(text: string, read: (name: string) => string | undefined): Substituted {
  const faults: SubstitutionFault[] = [];
  let hasReference = false;
  const replaced = text.replace(REFERENCE, (reference, offset: number) => {
    if (reference === '$$') return '$';
    hasReference = true;
    const [, name = '', fallback] = PARTS.exec(reference) ?? [];
    if (name === '' || fallback?.includes('${') === true) {
      faults.push({ reference, offset, kind: 'malformed', name: '' });
      return '';
    }
    const value = read(name);
    const known = fallback !== undefined && (value ?? '') === '' ? fallback : value;
    if (known === undefined) faults.push({ reference, offset, kind: 'unset', name });
    return known ?? '';
  });
  return { text: replaced, isWhole: PARTS.test(text) && text.indexOf('}') === text.length - 1, hasReference, faults };
}
