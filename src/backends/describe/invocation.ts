import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import type { TurnRequest } from '../../ports/backend.ts';
import type { TurnScope } from '../../ports/program.ts';
import type { Translator } from '../stream/translator.ts';

/** How the prompt reaches the program; `stream`: as the first message of a conversation over its standard input. */
export type PromptPlace = 'arg' | 'stdin' | 'file' | 'stream';

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
  /** The conversation that it goes on with, where it can; absent: a new one. */
  readonly session?: string;
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

/** The longest prompt that is handed over as an argument: Linux refuses a single one of more than 128 KiB. */
export const MAX_ARGUMENT_BYTES = 100 * 1024;

/** Where a prompt goes, and what a person should know about it. */
export interface PlacedPrompt {
  readonly place: PromptPlace;
  readonly warnings: readonly string[];
}

export interface CliBackendParts {
  /** @param wish `stdin` where a scope of the turn asks for it */
  readonly place: (prompt: string, wish?: TurnScope['prompt']) => PlacedPrompt;
  readonly plan: (order: InvocationOrder) => Invocation;
  readonly createTranslator: (invocation: Invocation, request: TurnRequest) => Translator;
  /** How long an agent may stay after its final event. Default 5 s. */
  readonly lingerMs?: number;
  /** False for agents that are expected to stay until they are told to go. */
  readonly shouldLeave: boolean;
}

interface PlacingOrder {
  /** The way asked for. */
  readonly wanted: PromptPlace;
  readonly takes: readonly PromptPlace[];
  readonly isPositional: boolean;
}

/**
 * Chooses how a prompt is handed over: as asked for, if the program takes it so; an argument only up to 100 KB, without a zero byte,
 * and not where it would be taken for a flag. What cannot be an argument goes by standard input, else as a file.
 */
export function placePrompt(prompt: string, { wanted, takes, isPositional }: PlacingOrder): PlacedPrompt {
  const isFit = fitsArgument(prompt) && !(isPositional && prompt.startsWith('-'));
  const usable = takes.filter((place) => place !== 'arg' || isFit);
  const place = usable.includes(wanted) ? wanted : (usable[0] ?? 'file');
  const isRefused = !takes.includes(wanted);
  return { place, warnings: isRefused ? [`the prompt cannot be given by "${wanted}" here: it is given by "${place}"`] : [] };
}

/** Whether the system accepts the text as one argument. */
export function fitsArgument(prompt: string): boolean {
  return prompt.length <= MAX_ARGUMENT_BYTES && Buffer.byteLength(prompt) <= MAX_ARGUMENT_BYTES && !prompt.includes('\0');
}

/** The short prompt for a program that can only be told to read a file. */
export function toFilePrompt(promptFile: string): string {
  return `Your whole task is written in the file ${promptFile} . Read that file completely, from its first line to its last, and do what it says.`;
}
