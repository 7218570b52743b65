/** Only errors keep a run from starting. A note says that something is fine but not read by this version. */
export type Severity = 'error' | 'warning' | 'hint' | 'note';

/** Something to be said about a configuration, without a place. */
export interface Finding {
  /** Stable, kebab-case; `ralph explain CODE` has a page about each. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong: one sentence, the first line of what is shown. */
  readonly message: string;
  /** Why it matters. */
  readonly why: string;
  /** What to do; may hold lines of YAML to write. */
  readonly fix: string;
  /** Ids of the hats that it is about. */
  readonly hats?: readonly string[];
  /** Topics and patterns that it is about. */
  readonly topics?: readonly string[];
  /** How it could be mended in the text of the file. */
  readonly repairs?: readonly Repair[];
}

/** A change to the text of a configuration that takes a finding away. */
export interface Repair {
  /** For a person who chooses: `add "deploy.start" to terminal_events`. */
  readonly title: string;
  /** True where it can only be meant so; others are made only when a person chooses them. */
  readonly isSafe: boolean;
  readonly change: RepairChange;
}

/**
 * - `replace`: the text at the place of the finding gives way to `text`.
 * - `replace-item`: `item`, which stands elsewhere, gives way to `text`.
 * - `add-item`: `item` joins a list of topics, which is written where it is missing.
 * - `set`: a key of `event_loop:` has this value, and is written where it is missing.
 */
export type RepairChange =
  | { readonly kind: 'replace'; readonly text: string }
  | { readonly kind: 'replace-item'; readonly at: ItemSubject; readonly text: string }
  | { readonly kind: 'add-item'; readonly to: ListSubject; readonly item: string }
  | { readonly kind: 'set'; readonly key: 'recovery_hat'; readonly text: string };

/** A list of topics in a configuration: of a hat, or under `event_loop:`. */
export type ListSubject =
  | { readonly kind: 'hat-list'; readonly hat: string; readonly list: 'triggers' | 'publishes' }
  | { readonly kind: 'loop'; readonly key: 'terminal_events' };

/**
 * What a finding about the flow of events is about. `config` knows where in which file it stands, whatever the user called the key.
 *
 * - `hats`: the key `hats:`. `hat`: the id of a hat. `hat-list`: the key of one of its lists; where it is missing the hat's id.
 * - `hat-item`: a topic or pattern in one of its lists. `hat-words`: words in its instructions; where they are in another file, their key.
 * - `loop`: a value under `event_loop:`, or one item of its list. `gate`: a gate by its number, or one of its topics.
 */
export type Subject =
  | { readonly kind: 'hats' }
  | { readonly kind: 'hat'; readonly hat: string }
  | { readonly kind: 'hat-list'; readonly hat: string; readonly list: 'triggers' | 'publishes' }
  | ItemSubject
  | { readonly kind: 'hat-words'; readonly hat: string; readonly words: string }
  | { readonly kind: 'loop'; readonly key: string; readonly item?: string }
  | { readonly kind: 'gate'; readonly index: number; readonly topic?: string }
  | { readonly kind: 'event'; readonly topic: string };

/** A topic or pattern in a list of a hat. */
export interface ItemSubject {
  readonly kind: 'hat-item';
  readonly hat: string;
  readonly list: HatList;
  readonly item: string;
}

/** The lists of a hat that hold topics, patterns or hats. */
export type HatList = 'triggers' | 'publishes' | 'default_publishes' | 'transitions';

export interface FlowFinding extends Finding {
  readonly at: Subject;
  /** What else has to do with it, such as the other hat of an ambiguity. */
  readonly related?: readonly RelatedSubject[];
}

/** Another part of a configuration, and what it has to do with a finding. */
export interface RelatedSubject {
  readonly at: Subject;
  readonly message: string;
}
