/** How the server says no, and every error of Ralph in JSON. */
export interface ErrorBody {
  readonly code: string;
  readonly what: string;
  readonly why?: string;
  readonly fix?: string;
}

/** Orders of a person, as they are sent. `command` is made by the sender: the same one twice is carried out once. */
export interface OrderBodies {
  readonly tell: { readonly command: string; readonly text: string; readonly to?: string; readonly when?: 'now' | 'next' };
  /** `seq`: the last input that was on the screen. */
  readonly answer: { readonly command: string; readonly question: string; readonly choice: string; readonly seq: number };
  readonly stop: { readonly command: string; readonly how: 'after' | 'now' };
  readonly resume: { readonly command: string };
}
