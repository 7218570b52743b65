/** What this machine can put around an agent. */
export interface OsSandbox {
  readonly kind: 'bubblewrap' | 'seatbelt';
  /** Absolute path of the program. */
  readonly path: string;
  /** In the program's own words. */
  readonly version: string;
}

/** A sandbox, or why there is none: a sentence for a person, with what to do. */
export type OsSandboxSearch = { readonly found: OsSandbox } | { readonly found: null; readonly why: string };
