import type { CliType, NativeProvider } from '../../core/backends/backend-spec.ts';
import type { JsonObject } from '../../core/values/json.ts';
import type { Translator } from '../stream/translator.ts';
import type { Invocation, InvocationOrder, PromptPlace } from './invocation.ts';
import type { AttachedTool, CliScope, EmitAttachOrder, ScopeOrder } from './scope-plan.ts';

/**
 * One agent CLI: everything that is known of it beside its line in `AGENT_CLIS` of `core`. Plain data and pure functions; what is optional a CLI can do without.
 */
export interface CliDescription {
  readonly type: CliType;
  readonly title: string;
  /** The program's usual name. */
  readonly command: string;
  readonly install: string;
  /** The release that it was tried with; `null` for those that were built from documentation and have never been run. */
  readonly tried: { readonly package: string; readonly version: string } | null;
  /** Whose models it runs by itself, where they are one maker's. */
  readonly maker?: NativeProvider;

  /** The ways in which it takes a prompt, the preferred first. `file`: as a short prompt that names the file. */
  readonly takes: readonly PromptPlace[];
  /** True where a prompt argument that begins with `-` would be read as a flag. */
  readonly isPromptPositional: boolean;
  readonly plan: (order: InvocationOrder) => Invocation;
  /** Runs its commands in a login shell, which sets a PATH of its own: `ralph` is not found there. Default false. */
  readonly losesPath?: boolean;
  /** Whether, started with these arguments, a conversation can go on in another turn: `plan` makes use of `session` then. Absent: never. */
  readonly canResume?: (args: readonly string[]) => boolean;
  /** The stream that it prints. Absent: plain text, or the stream of another. */
  readonly stream?: CliStream;

  readonly signIn: SignInTraces;
  /**
   * The variables it signs in with, by the beginnings of their names: a safe run gives it no other keys of models. Absent: it may ask any provider.
   */
  readonly keys?: RegExp;
  /** What it keeps where, as far as a turn needs it to be signed in and set up as its user likes it. */
  readonly state: readonly CliStateFolder[];
  /** What it changes by itself in a project. */
  readonly ownChanges?: OwnChanges;
  /** What a person should know who has it, in whole sentences. */
  readonly advise?: (facts: { readonly isRoot: boolean }) => readonly string[];

  /** How a profile becomes its flags. Absent: it has none for that. */
  readonly profile?: CliProfile;
  /** How the tool `emit_event` is attached to it. Absent: it cannot be; an event is a signal in the text, or a line in the file. */
  readonly emitTool?: CliEmitTool;

  /** How it is pointed at the mock model server. Absent: it can be pointed nowhere but to its vendor. */
  readonly mockClient?: MockClient;
  /** How `ralph doctor --probe` tries what a profile forbids. Absent: it cannot be probed. */
  readonly probe?: CliProbe;
}

export interface CliStream {
  readonly create: () => Translator;
  /** Talks to it over its standard input, where it is planned with an open one. Absent: its prompt is all that it is told. */
  readonly converse?: (translator: Translator, prompt: string) => Translator;
  /** Whether the first line of an unknown agent's output is of this stream; the first that says so is taken. A `system` line may hold anything. */
  readonly begins: (first: JsonObject) => boolean;
  /** Whether the line could stand further on in this stream: asked where nobody's stream begins so. */
  readonly continues?: (line: JsonObject) => boolean;
}

/** Where to look whether somebody is signed in: whether a variable or a file is there; contents are never read. */
export interface SignInTraces {
  readonly envKeys: readonly string[];
  /** The CLI's own folder under HOME (empty: HOME itself), and the variable that moves it elsewhere. */
  readonly folder: string;
  readonly folderKey?: string;
  /** Paths in that folder. */
  readonly files: readonly string[];
  /** Settings in that folder that can hold or name a key: with one of them it cannot be told. */
  readonly settings?: readonly string[];
  /** The CLI keeps its login in the keychain of the system where there is one. Default false. */
  readonly hasKeychain?: boolean;
}

/** What a CLI changes by itself in a project when it starts, because it stands there in the form of an older version. Relative to the project. */
export interface OwnChanges {
  /** Files that it writes anew. */
  readonly rewritten?: readonly string[];
  /** Files that it makes where there are none, or writes anew. */
  readonly made?: readonly string[];
  /** A folder, and the new name that it gives it. */
  readonly renamed?: readonly [from: string, to: string];
}

export interface CliProfile {
  readonly scope: (order: ScopeOrder) => CliScope;
  /**
   * What a list of allowed commands means to it: whole command lines, in a syntax of its own; beginnings of command lines (with an argument behind it, an
   * allowed one runs any code); or nothing that commands are taken from.
   */
  readonly commandLists: 'whole lines' | 'beginnings' | 'none';
}

/** How the tool `emit_event` is attached to one turn, without touching the user's own configuration. */
export interface CliEmitTool {
  readonly attach: (order: EmitAttachOrder) => AttachedTool;
  /** What else a turn needs that nothing holds back. `isAsked`: the CLI asks before it uses a tool. Absent: nothing. */
  readonly open?: (
    attached: AttachedTool,
    order: Pick<ScopeOrder, 'env'> & { readonly isAsked: boolean },
  ) => Partial<Pick<CliScope, 'args' | 'env'>>;
}

export interface ClientPlace {
  /** A folder that becomes HOME; it must be under no TMPDIR of the client. */
  readonly home: string;
  /** The server's port. */
  readonly port: number;
  readonly model: string;
  /** Let the client repeat failed model calls where that can be switched off. */
  readonly retries: boolean;
  /** Sign claude in as a subscriber, whose usage limits it reports in full. */
  readonly subscription: boolean;
  /** Absolute path of a project that its user trusts, so that the client reads the settings files in it. */
  readonly trusts?: string;
}

/** What points a client at the server and at nobody else: variables, and texts by path relative to home. */
export interface ClientSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface MockClient {
  /** The model that it asks for, and the arguments it needs for that: as `backend:` of a hat takes them. */
  readonly model: string;
  readonly args: readonly string[];
  readonly toSettings: (place: ClientPlace) => ClientSettings;
}

export interface CliProbe {
  /** How its tools are called, where they are not offered and so cannot be looked up. */
  readonly tools: ProbeTools;
  /**
   * Settings files that a project can hold for it, and that try to lift what its hat is held to: texts by path, relative to the workspace. They allow every
   * tool, and name programs that are started with the session. Somebody may have committed them, and so may an earlier hat.
   *
   * @param mark absolute path of the file that such a program makes
   */
  readonly toPlants: (mark: string) => Readonly<Record<string, string>>;
}

export interface ProbeTools {
  readonly write: string;
  readonly shell: string;
  readonly emit: string;
  /** The tool that runs the commands which check the project, where the CLI gets one instead of its shell. */
  readonly check?: string;
}

/** A folder in which a CLI keeps what it knows of its user. Paths are relative to HOME, and in the lists to the folder. */
export interface CliStateFolder {
  readonly folder: string;
  /** The variable that moves the folder. */
  readonly folderKey?: string;
  /** The variable that moves the folder this one lies in (`XDG_CONFIG_HOME`), and the part of `folder` that it stands for. */
  readonly parentKey?: string;
  readonly parent?: string;
  /** JSON files with tokens: the turn gets a copy, and the tokens that the CLI refreshed in it are carried back. Never a file that holds settings too. */
  readonly login: readonly string[];
  /** The fields of these files, at any depth, that hold a token or say when one ends. Nothing else is carried back. */
  readonly tokens?: readonly string[];
  /** Files of which the turn gets a copy that is thrown away. */
  readonly copies: readonly string[];
  /** Folders that can be read. */
  readonly folders: readonly string[];
  /** Files beside the folder in HOME, copied as well. With `folderKey` set they lie in the folder. */
  readonly beside?: readonly string[];
}

/** Parts of HOME that a variable can move. */
export const CONFIG_HOME = { parentKey: 'XDG_CONFIG_HOME', parent: '.config' } as const;
export const DATA_HOME = { parentKey: 'XDG_DATA_HOME', parent: '.local/share' } as const;
export const CACHE_HOME = { parentKey: 'XDG_CACHE_HOME', parent: '.cache' } as const;

/** The names that CLIs give their tokens. Not among them: scopes, addresses, accounts. */
export const CAMEL_TOKENS = ['accessToken', 'refreshToken', 'idToken', 'expiresAt'] as const;
export const SNAKE_TOKENS = ['access_token', 'refresh_token', 'id_token', 'expiry_date'] as const;
export const SHORT_TOKENS = ['access', 'refresh', 'expires'] as const;

/** US dollars per million tokens, so that clients that price by config report a cost that a test can work out. */
export const MOCK_PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
