import type { BackendSpec } from '../core/index.ts';

/** How the prompt reaches the program. */
export type PromptPlace = 'arg' | 'stdin' | 'file';

/** Everything the words of a command line depend on. */
export interface InvocationOrder {
  readonly spec: BackendSpec;
  readonly prompt: string;
  /** Absolute path of a file that holds the prompt. */
  readonly promptFile: string;
  readonly place: PromptPlace;
  /** Whether the program will run as the superuser: some refuse to skip permissions then. */
  readonly isRoot: boolean;
  /** Whether limits are looked for that the program does not tell of its own accord. */
  readonly watchesLimits: boolean;
  /** The environment that the program would get. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program to be started: plain data. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** `prompt`: the whole prompt, then end of file. `none`: /dev/null. `open`: a conversation. */
  readonly stdin: 'prompt' | 'none' | 'open';
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What it will speak: `text`, or the name of a stream. */
  readonly format: string;
  /** What a person should know about this command line. */
  readonly warnings: readonly string[];
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

/** One agent CLI: what the registry knows of it. */
export interface CliDescriptor {
  readonly type: BackendSpec['type'];
  readonly title: string;
  /** The program's usual name. */
  readonly command: string;
  /** False for those that were built from documentation and have never been run. */
  readonly verified: boolean;
  /** The ways in which it takes a prompt, the preferred first. `file`: as a short prompt that names the file. */
  readonly takes: readonly PromptPlace[];
  /** True where a prompt argument that begins with `-` would be read as a flag. */
  readonly isPromptPositional: boolean;
  readonly plan: (order: InvocationOrder) => Invocation;
  /** Runs its commands in a login shell, which sets a PATH of its own: `ralph` is not found there. Default false. */
  readonly losesPath?: boolean;
  readonly signIn: SignInTraces;
  /** How to install it. */
  readonly install: string;
}
