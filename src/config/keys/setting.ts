/**
 * The vocabulary of the settings table. A setting is plain data: the check, the types, the JSON Schema and the reference page
 * are all made from it. `doc` is one sentence for people; `default` is written as it would be in the file.
 */
export type Setting =
  | LeafSetting
  | ListSetting
  | MapSetting
  | ObjectSetting
  | BackendSetting
  | PublishSetting
  | SchemaSetting
  | HooksSetting
  | LaterSetting;

interface Described {
  readonly doc: string;
  readonly default?: unknown;
  /** Must be written where its object is. */
  readonly required?: true;
  /** `${NAME}` in it is text and stays as it is: words for agents. */
  readonly verbatim?: true;
}

/** A setting whose value is one scalar. */
export type LeafSetting = TextSetting | FlagSetting | NumberSetting | ChoiceSetting;

/**
 * - `text`: any text. `line`: a text of one line that is not blank. `word`: as `line`, and a number or a truth value is taken as it is written.
 * - `command`: a command line, which may have several lines.
 * - `topic`, `pattern`: see core. `promise`: a text without white space.
 * - `path`: a path inside the workspace. `file`: any path.
 * - `variable`: the value of an environment variable: a `word` that may be empty or long.
 */
export interface TextSetting extends Described {
  readonly kind: 'text' | 'line' | 'word' | 'command' | 'topic' | 'pattern' | 'promise' | 'path' | 'file' | 'variable' | 'label';
}

export interface FlagSetting extends Described {
  readonly kind: 'flag';
}

/** `integer` and `number`; `duration`: seconds or `1h30m`, checked to milliseconds; `money`: US dollars, with or without `$`. */
export interface NumberSetting extends Described {
  readonly kind: 'integer' | 'number' | 'duration' | 'money';
  /** The smallest value, in the unit of the file: for a duration seconds. */
  readonly min?: number;
  /** Everything above this is allowed, the value itself is not. */
  readonly above?: number;
  /** The largest value; a duration has one anyway. */
  readonly max?: number;
  /** One more value that is allowed, whatever the bounds. */
  readonly or?: number;
}

export interface ChoiceSetting extends Described {
  readonly kind: 'choice';
  readonly values: readonly string[];
}

/** A list; a single value is taken as a list of one. */
export interface ListSetting extends Described {
  readonly kind: 'list';
  readonly items: Setting;
  readonly nonEmpty?: true;
  /** Not empty either, but a rule says so. */
  readonly nonEmptyByRule?: true;
  /** Holds at least so many, two or more; a rule says so. */
  readonly fewestByRule?: number;
}

/** Names of the user's choice, all with values of one kind. */
export interface MapSetting extends Described {
  readonly kind: 'map';
  readonly values: Setting;
  /** The names are those of environment variables. */
  readonly variables?: true;
  /** The names are ids of hats, and there is at least one; a rule says so. */
  readonly hatIds?: true;
}

/** Known names, each with a setting of its own. */
export interface ObjectSetting extends Described {
  readonly kind: 'object';
  readonly keys: Keys;
  /** The key that a single word in the place of the map means; only in the table of the whole file. */
  readonly short?: string;
}

/** A backend: its name, a description, or a list of these. */
export interface BackendSetting extends Described {
  readonly kind: 'backend';
  readonly name: ChoiceSetting;
  readonly keys: Keys;
  /** No list of them. */
  readonly isAlone?: true;
}

/** What a hat publishes: a topic or pattern, or one with a target. */
export interface PublishSetting extends Described {
  readonly kind: 'publish';
  readonly topic: TextSetting;
  readonly keys: Keys;
}

/** A JSON Schema: whatever YAML can hold, looked at by a rule of its own. */
export interface SchemaSetting extends Described {
  readonly kind: 'schema';
}

/** Hooks by event: read as they are written, see `read-hooks.ts`. */
export interface HooksSetting extends Described {
  readonly kind: 'hooks';
}

/** A key that a later version gives a meaning: known, and not read. */
export interface LaterSetting extends Described {
  readonly kind: 'later';
}

export type Keys = Readonly<Record<string, Setting>>;

export type ValueOf<S> = S extends { readonly kind: TextSetting['kind'] }
  ? string
  : S extends { readonly kind: 'flag' }
    ? boolean
    : S extends { readonly kind: NumberSetting['kind'] }
      ? number
      : S extends { readonly kind: 'choice'; readonly values: readonly (infer Word)[] }
        ? Word
        : StructureOf<S>;

type StructureOf<S> = S extends { readonly kind: 'list'; readonly items: infer Item }
  ? readonly ValueOf<Item>[]
  : S extends { readonly kind: 'map'; readonly values: infer Item }
    ? Readonly<Record<string, ValueOf<Item>>>
    : S extends { readonly kind: 'object'; readonly keys: infer K }
      ? ValuesOf<K>
      : S extends { readonly kind: 'backend'; readonly keys: infer K }
        ? readonly ValuesOf<K>[]
        : S extends { readonly kind: 'publish' }
          ? { readonly topic: string; readonly target?: string }
          : S extends { readonly kind: 'schema' | 'hooks' }
            ? true
            : never;

/** The checked values of an object: a key is there if it was written, is right, and is read by this version. */
export type ValuesOf<K> = {
  readonly [Name in keyof K as K[Name] extends { readonly kind: 'later' } ? never : Name]?: ValueOf<K[Name]>;
};

/** The same with the defaults filled in. */
export type EffectiveOf<K> = ValuesOf<K> & {
  readonly [Name in keyof K as K[Name] extends { readonly default: unknown } ? Name : never]: ValueOf<K[Name]>;
};
