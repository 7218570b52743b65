import type { PromptPlace } from './invocation.ts';

/** The longest prompt that is handed over as an argument: Linux refuses a single one of more than 128 KiB. */
export const MAX_ARGUMENT_BYTES = 100 * 1024;

/** Where a prompt goes, and what a person should know about it. */
export interface PlacedPrompt {
  readonly place: PromptPlace;
  readonly warnings: readonly string[];
}

/** What a program takes. */
export interface PromptPlaces {
  /** The way asked for. */
  readonly wanted: PromptPlace;
  readonly takes: readonly PromptPlace[];
  readonly isPositional: boolean;
}

/**
 * Chooses how a prompt is handed over: as asked for, if the program takes it so; an argument only up to 100 KB, without a zero byte,
 * and not where it would be taken for a flag. What cannot be an argument goes by standard input, else as a file.
 */
export function placePrompt(prompt: string, { wanted, takes, isPositional }: PromptPlaces): PlacedPrompt {
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
