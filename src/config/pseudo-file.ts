import { createSourceFile, type SourceFile } from './source-file.ts';

/** A setting that was given outside of any file, so that findings about it have a place: its text is what was given. */
export interface PseudoFile extends SourceFile {
  readonly origin: 'assignment' | 'flag' | 'variable';
}

const MAX_NAME = 80;

/** The text of `-c key.path=value`, of `--name value`, or of `NAME=value` in the environment. What sets variables of an agent (`env`) is not shown. */
export function createPseudoFile(origin: PseudoFile['origin'], name: string, text: string, cwd: string): PseudoFile {
  const isSecret = /(?:\b|_)env\b|(?:^|_)ENV(?:_|=)/.test(text);
  const plain = (isSecret ? name.replace(/=.*/s, '=***') : name).replace(/\s+/g, ' ');
  const shown = plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME - 1)}…` : plain;
  return { ...createSourceFile(shown, cwd, text), origin, ...(isSecret ? { isSecret } : {}) };
}

/** True for a file that is none. */
export function isPseudoFile(file: SourceFile): file is PseudoFile {
  return 'origin' in file;
}
