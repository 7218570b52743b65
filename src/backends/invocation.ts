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
