import { createSourceFile, type SourceFile } from './source-file.ts';

/** A setting that was given outside of any file, so that findings about it have a place: its text is what was given. */
export interface PseudoFile extends SourceFile {
  readonly origin: 'assignment' | 'variable';
}

const MAX_NAME = 80;

/** The text of `-c key.path=value`, or of `NAME=value` in the environment. */
export function createPseudoFile(origin: PseudoFile['origin'], name: string, text: string, cwd: string): PseudoFile {
  const plain = name.replace(/\s+/g, ' ');
  return { ...createSourceFile(plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME - 1)}…` : plain, cwd, text), origin };
}

/** True for a file that is none. */
export function isPseudoFile(file: SourceFile): file is PseudoFile {
  return 'origin' in file;
}
